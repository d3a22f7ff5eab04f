#include "json_file.h"

#include <cmath>

#include "scorevi/core/atomic_file.h"

namespace scorevi::run {

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

void write_json(const std::string& path, const nlohmann::json& object) {
  constexpr int kIndent = 2;
  write_file_atomic(path,
                    object.dump(kIndent, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace scorevi::run
