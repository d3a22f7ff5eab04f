#include <stdexcept>
#include <string>

#include "fuzz/targets.h"
#include "scorevi/config/load.h"
#include "scorevi/core/error.h"
#include "support/sample_options.h"

namespace {

using scorevi::config::Document;
using scorevi::config::test::SampleOptions;

SampleOptions parse(const std::string& text) {
  Document document = Document::from_text(text, "fuzz");
  SampleOptions options;
  scorevi::config::read(document, options);
  document.throw_if_errors();
  return options;
}

void check_dump(const SampleOptions& options) {
  const std::string first = scorevi::config::dump(options);
  if (scorevi::config::dump(parse(first)) != first)
    throw std::logic_error("a dumped configuration does not read back equal");
}

}  // namespace

// Arbitrary text as a configuration file, and as the value of an override. What is accepted must
// survive dumping and reading back.
int fuzz_config(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check_dump(parse(text));
  } catch (const scorevi::Error&) {
  }
  try {
    Document::from_text("data: {name: x}", "fuzz", {text, "model=" + text}).throw_if_errors();
  } catch (const scorevi::Error&) {
  }
  return 0;
}
