#include "scorevi/run/failure.h"

#include <algorithm>
#include <new>
#include <optional>

#include "scorevi/core/format.h"
#include "scorevi/core/numbers.h"

namespace scorevi::run {
namespace {

// The trace stands after the first line or after this mark.
std::string without_trace(const std::string& message) {
  return message.substr(0, std::min(message.find("\nException raised from"), message.find("\nframe #")));
}

// What an allocation failure asked for, "" for any other message. LibTorch writes
//   DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000 bytes. Error code 12 (...)
//   CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of ...
std::string tried_to_allocate(const std::string& message) {
  const std::string cpu = "you tried to allocate ", cuda = "Tried to allocate ";
  if (const std::size_t at = message.find(cpu); at != std::string::npos) {
    const std::size_t begin = at + cpu.size();
    const std::optional<std::int64_t> bytes = parse_int(message.substr(begin, message.find(' ', begin) - begin));
    return bytes ? format_bytes(*bytes) : "more than there is";
  }
  const std::size_t at = message.find(cuda);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + cuda.size();
  return message.substr(begin, message.find(". ", begin) - begin);
}

}  // namespace

std::string failure_text(const std::exception& failure) {
  const std::string advice = "; try a smaller data.batch_size or evaluate.batch_size, or a smaller model";
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return "out of memory" + advice;
  const std::string size = tried_to_allocate(failure.what());
  return size.empty() ? without_trace(failure.what()) : "out of memory: tried to allocate " + size + advice;
}

}  // namespace scorevi::run
