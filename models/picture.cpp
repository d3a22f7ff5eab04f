#include "picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scorevi/core/error.h"

namespace scorevi::models {
namespace {

[[noreturn]] void refuse(const std::string& model, const InputSpec& input, const std::string& expected) {
  throw Error(ErrorKind::kUsage, fmt::format("model {}: input does not fit, got shape [{}], expected {}", model,
                                             fmt::join(input.shape, ", "), expected));
}

}  // namespace

void check_picture(const std::string& model, const InputSpec& input) {
  if (input.shape.size() != 3) refuse(model, input, "[channels, height, width]");
}

void check_square_picture(const std::string& model, const InputSpec& input, int64_t unit) {
  check_picture(model, input);
  if (input.shape[1] != input.shape[2] || input.shape[1] % unit != 0) {
    refuse(model, input, fmt::format("[channels, size, size] with size a multiple of {}", unit));
  }
}

}  // namespace scorevi::models
