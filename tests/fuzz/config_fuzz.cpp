#include <stdexcept>
#include <string>

#include "fuzz/guard.h"
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

// Not an Error, which would count as a refusal of the input.
void check_dump(const SampleOptions& options) {
  const std::string first = scorevi::config::dump(options);
  std::string second;
  try {
    second = scorevi::config::dump(parse(first));
  } catch (const scorevi::Error& error) {
    throw std::logic_error(std::string("a dumped configuration is refused: ") + error.what());
  }
  if (second != first) throw std::logic_error("a dumped configuration does not read back equal");
}

// The right answer to a bad configuration is an Error of kind kUsage.
template <class Read>
void refuse_or_accept(Read&& read) {
  try {
    read();
    ++scorevi::fuzz::inputs_read;
  } catch (const scorevi::Error& error) {
    if (error.kind() != scorevi::ErrorKind::kUsage) throw;
  }
}

}  // namespace

// Arbitrary text as a configuration file, and as the value of an override. What is accepted must
// survive dumping and reading back.
int fuzz_config(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  refuse_or_accept([&] { check_dump(parse(text)); });
  refuse_or_accept([&] { Document::from_text("data: {name: x}", "fuzz", {text, "model=" + text}).throw_if_errors(); });
  return 0;
}
