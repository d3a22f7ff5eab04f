// The dtype names of the safetensors format. Private to io.
#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <string_view>

namespace scorevi::io {

struct DtypeName {
  std::string_view name;
  at::ScalarType dtype;
};

inline constexpr std::array<DtypeName, 10> kDtypeNames = {{
    {"F64", at::ScalarType::Double},
    {"F32", at::ScalarType::Float},
    {"F16", at::ScalarType::Half},
    {"BF16", at::ScalarType::BFloat16},
    {"I64", at::ScalarType::Long},
    {"I32", at::ScalarType::Int},
    {"I16", at::ScalarType::Short},
    {"I8", at::ScalarType::Char},
    {"U8", at::ScalarType::Byte},
    {"BOOL", at::ScalarType::Bool},
}};

}  // namespace scorevi::io
