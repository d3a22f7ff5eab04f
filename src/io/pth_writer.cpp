#include <fmt/format.h>

#include <limits>
#include <set>

#include "element_dtype.h"
#include "little_endian.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/utf8.h"
#include "scorevi/io/weight_file.h"
#include "zip_writer.h"

namespace scorevi::io {
namespace {

constexpr const char* kFolder = "archive/";
constexpr std::string_view kVersion = "3\n";  // of PyTorch's archives
constexpr std::string_view kOrderedDict = "ccollections\nOrderedDict\n)R";
constexpr std::string_view kRebuildTensor = "ctorch._utils\n_rebuild_tensor_v2\n";

// Opcodes of pickle protocol 2 (Lib/pickletools.py).
constexpr std::string_view kBegin = "\x80\x02";
constexpr char kMark = '(';
constexpr char kTuple = 't';
constexpr char kPersistentId = 'Q';
constexpr char kReduce = 'R';
constexpr char kSetItems = 'u';
constexpr char kStop = '.';
constexpr char kFalse = '\x89';

void put_text(std::string& out, std::string_view text) {
  out += 'X';
  append_le(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void put_integer(std::string& out, std::int64_t value) {
  if (value <= std::numeric_limits<std::int32_t>::max()) {
    out += 'J';
    append_le(out, static_cast<std::int32_t>(value));
  } else {
    out += '\x8A';
    out += static_cast<char>(sizeof value);
    append_le(out, value);
  }
}

void put_integers(std::string& out, at::IntArrayRef values) {
  out += kMark;
  for (const std::int64_t value : values) put_integer(out, value);
  out += kTuple;
}

std::string_view storage_class(const std::string& name, at::ScalarType dtype) {
  for (const ElementDtype& row : kElementDtypes) {
    if (row.dtype == dtype) return row.storage_class;
  }
  throw Error(ErrorKind::kData,
              fmt::format("pth: tensor \"{}\" has dtype {}, which cannot be stored", name, c10::toString(dtype)));
}

std::vector<std::int64_t> contiguous_strides(at::IntArrayRef shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= std::max<std::int64_t>(shape[d], 1)) strides[d] = stride;
  return strides;
}

// _rebuild_tensor_v2(storage, 0, size, stride, requires_grad = False, hooks = OrderedDict())
void put_tensor(std::string& out, const std::string& name, const at::Tensor& tensor, std::size_t storage) {
  out += kRebuildTensor;
  out += kMark;
  out += kMark;
  put_text(out, "storage");
  out += "ctorch\n" + std::string(storage_class(name, tensor.scalar_type())) + "\n";
  put_text(out, std::to_string(storage));
  put_text(out, "cpu");
  put_integer(out, tensor.numel());
  out += kTuple;
  out += kPersistentId;
  put_integer(out, 0);
  put_integers(out, tensor.sizes());
  put_integers(out, contiguous_strides(tensor.sizes()));
  out += kFalse;
  out += kOrderedDict;
  out += kTuple;
  out += kReduce;
}

std::string pickle_of(const NamedTensors& tensors) {
  std::string out(kBegin);
  out += kOrderedDict;
  out += kMark;
  std::set<std::string> names;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    SCOREVI_CHECK(tensor.defined());
    SCOREVI_CHECK(names.insert(name).second);
    if (!is_utf8(name)) throw Error(ErrorKind::kData, "pth: the tensor name " + quoted(name) + " is not UTF-8");
    put_text(out, name);
    put_tensor(out, name, tensor, i);
  }
  out += kSetItems;
  out += kStop;
  return out;
}

}  // namespace

void stream_pth(const NamedTensors& tensors, const ByteSink& sink) {
  const std::string pickle = pickle_of(tensors);
  ZipWriter zip(sink);
  const std::string folder = kFolder;
  zip.add(folder + "data.pkl", pickle);
  zip.add(folder + "byteorder", "little");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor flat = tensors[i].second.detach().cpu().contiguous();
    const std::uint64_t bytes = flat.nbytes();
    zip.add(folder + "data/" + std::to_string(i), flat.const_data_ptr(), bytes, crc32_of(flat.const_data_ptr(), bytes));
  }
  zip.add(folder + "version", kVersion);
  zip.finish();
}

void write_pth(const std::string& path, const NamedTensors& tensors) {
  AtomicFile file(path);
  stream_pth(tensors, [&](const void* data, std::size_t size) { file.write(data, size); });
  file.commit();
}

}  // namespace scorevi::io
