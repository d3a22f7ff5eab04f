// LibTorch's dtype of each element type, what safetensors calls it, and the class that PyTorch names for its storages.
// Private to io.
#pragma once

#include <c10/core/ScalarType.h>

#include <array>
#include <string_view>

#include "element_type.h"

namespace scorevi::io {

struct ElementDtype {
  ElementType type;
  at::ScalarType dtype;
  std::string_view safetensors;
  std::string_view storage_class;  // in module torch
};

inline constexpr std::array<ElementDtype, 10> kElementDtypes = {{
    {ElementType::kFloat64, at::ScalarType::Double, "F64", "DoubleStorage"},
    {ElementType::kFloat32, at::ScalarType::Float, "F32", "FloatStorage"},
    {ElementType::kFloat16, at::ScalarType::Half, "F16", "HalfStorage"},
    {ElementType::kBfloat16, at::ScalarType::BFloat16, "BF16", "BFloat16Storage"},
    {ElementType::kInt64, at::ScalarType::Long, "I64", "LongStorage"},
    {ElementType::kInt32, at::ScalarType::Int, "I32", "IntStorage"},
    {ElementType::kInt16, at::ScalarType::Short, "I16", "ShortStorage"},
    {ElementType::kInt8, at::ScalarType::Char, "I8", "CharStorage"},
    {ElementType::kUint8, at::ScalarType::Byte, "U8", "ByteStorage"},
    {ElementType::kBool, at::ScalarType::Bool, "BOOL", "BoolStorage"},
}};

constexpr at::ScalarType dtype_of(ElementType type) { return kElementDtypes[static_cast<std::size_t>(type)].dtype; }

}  // namespace scorevi::io
