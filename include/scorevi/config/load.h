// From a file to checked options in one call.
#pragma once

#include <string>
#include <vector>

#include "scorevi/config/documenter.h"
#include "scorevi/config/dumper.h"
#include "scorevi/config/reader.h"

namespace scorevi::config {

// Calls the describe(Options&, Visitor&) found beside the options struct.
struct DescribeByType {
  template <class Options>
  void operator()(Options& options, Visitor& visitor) const {
    describe(options, visitor);
  }
};

// Fills `options`; errors are collected in the document, so that the caller can add errors about
// combinations of keys before document.throw_if_errors().
template <class Options, class Describe = DescribeByType>
void read(Document& document, Options& options, Describe describe_options = {}) {
  Reader reader(document);
  describe_options(options, static_cast<Visitor&>(reader));
  reader.finish();
}

// Throws ConfigError with every error in the file.
template <class Options, class Describe = DescribeByType>
Options load(const std::string& path, const std::vector<std::string>& overrides = {}, Describe describe_options = {}) {
  Document document = Document::from_file(path, overrides);
  Options options;
  read(document, options, describe_options);
  document.throw_if_errors();
  return options;
}

// YAML that reads back into equal options.
template <class Options, class Describe = DescribeByType>
std::string dump(const Options& options, Describe describe_options = {}) {
  Options copy = options;
  Dumper dumper;
  describe_options(copy, static_cast<Visitor&>(dumper));
  return dumper.text();
}

// The documentation of a description with its defaults.
template <class Options, class Describe = DescribeByType>
Documenter document_keys(Describe describe_options = {}) {
  Options options;
  Documenter documenter;
  describe_options(options, static_cast<Visitor&>(documenter));
  return documenter;
}

}  // namespace scorevi::config
