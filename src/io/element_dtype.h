// LibTorch's dtype of each element type, and the class that PyTorch names for its storages. Private to io.
#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <string_view>

#include "element_type.h"

namespace scorevi::io {

struct ElementDtype {
  ElementType type;
  at::ScalarType dtype;
  std::string_view storage_class;  // in module torch
};

inline constexpr std::array<ElementDtype, 10> kElementDtypes = {{
    {ElementType::kFloat64, at::ScalarType::Double, "DoubleStorage"},
    {ElementType::kFloat32, at::ScalarType::Float, "FloatStorage"},
    {ElementType::kFloat16, at::ScalarType::Half, "HalfStorage"},
    {ElementType::kBfloat16, at::ScalarType::BFloat16, "BFloat16Storage"},
    {ElementType::kInt64, at::ScalarType::Long, "LongStorage"},
    {ElementType::kInt32, at::ScalarType::Int, "IntStorage"},
    {ElementType::kInt16, at::ScalarType::Short, "ShortStorage"},
    {ElementType::kInt8, at::ScalarType::Char, "CharStorage"},
    {ElementType::kUint8, at::ScalarType::Byte, "ByteStorage"},
    {ElementType::kBool, at::ScalarType::Bool, "BoolStorage"},
}};

constexpr at::ScalarType dtype_of(ElementType type) { return kElementDtypes[static_cast<std::size_t>(type)].dtype; }

}  // namespace scorevi::io
