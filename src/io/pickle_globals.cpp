#include "pickle_globals.h"
#include "scorevi/core/text.h"

#include <array>

namespace scorevi::io {
namespace {

constexpr std::string_view kBuiltins2 = "__builtin__";  // Python 2
constexpr std::string_view kBuiltins3 = "builtins";
constexpr std::string_view kNumpy1 = "numpy.core.multiarray";
constexpr std::string_view kNumpy2 = "numpy._core.multiarray";
constexpr std::string_view kUtils = "torch._utils";
constexpr std::string_view kLibTorch = "torch.jit._pickle";
constexpr std::string_view kTorch = "torch";
constexpr std::string_view kStorages = "torch.storage";

constexpr PickleGlobal call(std::string_view module, std::string_view name, GlobalKind kind) {
  return {module, name, kind};
}
constexpr PickleGlobal storage(std::string_view name, ElementType type) {
  return {kTorch, name, GlobalKind::kStorage, type};
}
constexpr PickleGlobal dtype(std::string_view name) { return {kTorch, name, GlobalKind::kDtype}; }
constexpr PickleGlobal opaque(std::string_view module, std::string_view name) {
  return {module, name, GlobalKind::kOpaque};
}
constexpr PickleGlobal unsupported(std::string_view module, std::string_view name, std::string_view note) {
  return {module, name, GlobalKind::kUnsupported, ElementType::kFloat32, note};
}

constexpr std::string_view kComplex = "complex tensors are not supported";
constexpr std::string_view kQuantized = "quantized tensors are not supported";
constexpr std::string_view kSparse = "sparse tensors are not supported, store to_dense()";
constexpr std::string_view kRareType = "float8 and unsigned 16 to 64 bit tensors are not supported";

constexpr std::array kGlobals = {
    call("collections", "OrderedDict", GlobalKind::kDict),
    call(kUtils, "_rebuild_tensor", GlobalKind::kRebuildTensor),
    call(kUtils, "_rebuild_tensor_v2", GlobalKind::kRebuildTensorV2),
    call(kUtils, "_rebuild_parameter", GlobalKind::kRebuildParameter),
    call(kUtils, "_rebuild_parameter_with_state", GlobalKind::kRebuildParameter),
    call(kLibTorch, "restore_type_tag", GlobalKind::kFirstArgument),
    call(kLibTorch, "build_tensorlist", GlobalKind::kFirstArgument),
    call(kLibTorch, "build_intlist", GlobalKind::kFirstArgument),
    call(kLibTorch, "build_doublelist", GlobalKind::kFirstArgument),
    call(kLibTorch, "build_boollist", GlobalKind::kFirstArgument),
    call(kTorch, "Size", GlobalKind::kSize),
    call(kTorch, "device", GlobalKind::kDevice),

    storage("DoubleStorage", ElementType::kFloat64),
    storage("FloatStorage", ElementType::kFloat32),
    storage("HalfStorage", ElementType::kFloat16),
    storage("BFloat16Storage", ElementType::kBfloat16),
    storage("LongStorage", ElementType::kInt64),
    storage("IntStorage", ElementType::kInt32),
    storage("ShortStorage", ElementType::kInt16),
    storage("CharStorage", ElementType::kInt8),
    storage("ByteStorage", ElementType::kUint8),
    storage("BoolStorage", ElementType::kBool),

    dtype("float64"),
    dtype("float32"),
    dtype("float16"),
    dtype("bfloat16"),
    dtype("int64"),
    dtype("int32"),
    dtype("int16"),
    dtype("int8"),
    dtype("uint8"),
    dtype("bool"),

    opaque("argparse", "Namespace"),
    opaque("collections", "Counter"),
    opaque("datetime", "datetime"),
    opaque("pathlib", "PosixPath"),
    opaque("pathlib", "WindowsPath"),
    opaque("_codecs", "encode"),
    opaque(kBuiltins2, "set"),
    opaque(kBuiltins2, "frozenset"),
    opaque(kBuiltins2, "complex"),
    opaque(kBuiltins3, "set"),
    opaque(kBuiltins3, "frozenset"),
    opaque(kBuiltins3, "complex"),
    opaque("numpy", "dtype"),
    opaque("numpy", "ndarray"),
    opaque(kNumpy1, "scalar"),
    opaque(kNumpy1, "_reconstruct"),
    opaque(kNumpy2, "scalar"),
    opaque(kNumpy2, "_reconstruct"),

    unsupported(kTorch, "ComplexFloatStorage", kComplex),
    unsupported(kTorch, "ComplexDoubleStorage", kComplex),
    unsupported(kTorch, "QInt8Storage", kQuantized),
    unsupported(kTorch, "QUInt8Storage", kQuantized),
    unsupported(kTorch, "QInt32Storage", kQuantized),
    unsupported(kUtils, "_rebuild_qtensor", kQuantized),
    unsupported(kUtils, "_rebuild_sparse_tensor", kSparse),
    unsupported(kUtils, "_rebuild_sparse_csr_tensor", kSparse),
    unsupported(kUtils, "_rebuild_tensor_v3", kRareType),
    unsupported(kStorages, "UntypedStorage", kRareType),
};

}  // namespace

const PickleGlobal* find_global(std::string_view module, std::string_view name) {
  for (const PickleGlobal& global : kGlobals) {
    if (global.module == module && global.name == name) return &global;
  }
  return nullptr;
}

std::string refused_global_hint(std::string_view module) {
  if (begins_with(module, "__torch__")) return "; this is TorchScript, save the network's state_dict() instead";
  if (begins_with(module, "torch.nn.") || module == "__main__") {
    return "; a whole network was pickled, save its state_dict() instead";
  }
  return "; loading it in Python could run code, only tensors and plain values are read";
}

}  // namespace scorevi::io
