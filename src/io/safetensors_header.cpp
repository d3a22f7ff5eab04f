#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "element_dtype.h"
#include "scorevi/core/error.h"
#include "scorevi/io/safetensors.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMaxRank = 32;
constexpr const char* kMetadataKey = "__metadata__";

[[noreturn]] void bad_header(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::kData, file + ": safetensors header: " + what);
}

std::string in_quotes(const std::string& text) { return "\"" + text.substr(0, 200) + "\""; }

// A JSON event reader that accepts the header's grammar and nothing else; it never nests deeper
// than the format does and sees names that occur twice, which a parsed document would hide.
class HeaderEvents {
 public:
  using Json = nlohmann::json;

  explicit HeaderEvents(const std::string& file) : file_(file) {}
  SafetensorsHeader take() { return std::move(header_); }

  bool null() { unexpected("null"); }
  bool boolean(bool) { unexpected("true or false"); }
  bool number_integer(Json::number_integer_t value) { unexpected(std::to_string(value)); }
  bool number_float(Json::number_float_t, const std::string& text) { unexpected(text); }
  bool binary(Json::binary_t&) { unexpected("binary data"); }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (place_ == Place::kShape) {
      shape_->push_back(value);
      if (shape_->size() > kMaxRank) bad(fmt::format("more than {} dimensions", kMaxRank));
    } else if (place_ == Place::kOffsets) {
      offsets_->push_back(value);
      if (offsets_->size() > 2) bad("more than two data_offsets");
    } else {
      unexpected(std::to_string(value));
    }
    return true;
  }

  bool string(std::string& value) {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = std::move(value);
    } else if (place_ == Place::kTensor && field_ == "dtype") {
      dtype_ = dtype_of(value);
    } else {
      unexpected(in_quotes(value));
    }
    return true;
  }

  bool start_object(std::size_t) {
    if (place_ == Place::kOutside && !finished_) {
      place_ = Place::kTop;
    } else if (place_ == Place::kTop) {
      place_ = key_ == kMetadataKey ? Place::kMetadata : Place::kTensor;
      fields_.clear();
      dtype_.reset();
      shape_.reset();
      offsets_.reset();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& name) {
    switch (place_) {
      case Place::kTop:
        if (!names_.insert(name).second) bad_header(file_, "the name " + in_quotes(name) + " twice");
        key_ = std::move(name);
        break;
      case Place::kMetadata:
        if (header_.metadata.count(name) > 0) bad("the key " + in_quotes(name) + " twice");
        key_ = std::move(name);
        break;
      default:
        if (!fields_.insert(name).second) bad("the field " + in_quotes(name) + " twice");
        field_ = std::move(name);
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::kTop) {
      place_ = Place::kOutside;
      finished_ = true;
      return true;
    }
    if (place_ == Place::kTensor) add_tensor();
    place_ = Place::kTop;
    return true;
  }

  bool start_array(std::size_t) {
    if (place_ == Place::kTensor && field_ == "shape") {
      place_ = Place::kShape;
      shape_.emplace();
    } else if (place_ == Place::kTensor && field_ == "data_offsets") {
      place_ = Place::kOffsets;
      offsets_.emplace();
    } else {
      unexpected("a list");
    }
    return true;
  }

  bool end_array() {
    place_ = Place::kTensor;
    return true;
  }

  template <class JsonError>
  bool parse_error(std::size_t position, const std::string&, const JsonError&) {
    bad_header(file_, fmt::format("not JSON at byte {}", position));
  }

 private:
  enum class Place { kOutside, kTop, kMetadata, kTensor, kShape, kOffsets };

  [[noreturn]] void bad(const std::string& what) const {
    bad_header(file_, place_ == Place::kMetadata ? "metadata: " + what : "tensor " + in_quotes(key_) + ": " + what);
  }

  [[noreturn]] void unexpected(const std::string& value) const {
    const std::string got = "got " + value.substr(0, 100);
    switch (place_) {
      case Place::kOutside:
        bad_header(file_, got + ", expected one JSON object");
      case Place::kTop:
        bad(got + ", expected an object with dtype, shape and data_offsets");
      case Place::kMetadata:
        bad("key " + in_quotes(key_) + ": " + got + ", expected a text");
      case Place::kTensor:
        bad(in_quotes(field_) + ": " + got + ", expected dtype as a text, shape and data_offsets as lists");
      default:
        bad(in_quotes(field_) + ": " + got + ", expected whole numbers of at least 0");
    }
  }

  at::ScalarType dtype_of(const std::string& name) const {
    for (const ElementDtype& row : kElementDtypes) {
      if (row.safetensors == name) return row.dtype;
    }
    bad("dtype " + in_quotes(name) + ", expected one of F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL");
  }

  // The bytes a tensor of this shape takes. Dimensions of size 0 count as 1 in the overflow check,
  // because strides are computed from them.
  std::uint64_t bytes_of_shape() const {
    const std::uint64_t element = c10::elementSize(*dtype_);
    std::uint64_t bound = element;
    bool empty = false;
    for (const std::uint64_t size : *shape_) {
      empty = empty || size == 0;
      if (__builtin_mul_overflow(bound, std::max<std::uint64_t>(size, 1), &bound) ||
          bound > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        bad(fmt::format("shape [{}] is too large", fmt::join(*shape_, ", ")));
      }
    }
    return empty ? 0 : bound;
  }

  void add_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (fields_.count(field) == 0) bad(std::string(field) + " is missing");
    }
    for (const std::string& field : fields_) {
      if (field != "dtype" && field != "shape" && field != "data_offsets") {
        bad("unknown field " + in_quotes(field));
      }
    }
    if (offsets_->size() != 2) bad("data_offsets, expected two numbers");
    const std::uint64_t begin = (*offsets_)[0];
    const std::uint64_t end = (*offsets_)[1];
    const std::uint64_t bytes = bytes_of_shape();
    if (end < begin || end - begin != bytes) {
      bad(fmt::format("data_offsets [{}, {}], expected {} bytes for shape [{}]", begin, end, bytes,
                      fmt::join(*shape_, ", ")));
    }
    TensorInfo info{key_, *dtype_, {}, begin, end};
    for (const std::uint64_t size : *shape_) info.shape.push_back(static_cast<std::int64_t>(size));
    header_.tensors.push_back(std::move(info));
  }

  const std::string& file_;
  SafetensorsHeader header_;
  Place place_ = Place::kOutside;
  bool finished_ = false;
  std::string key_;    // of the outermost object, or of the metadata
  std::string field_;  // of a tensor
  std::set<std::string> names_;
  std::set<std::string> fields_;
  std::optional<at::ScalarType> dtype_;
  std::optional<std::vector<std::uint64_t>> shape_;
  std::optional<std::vector<std::uint64_t>> offsets_;
};

// The tensors must cover the data exactly: no gap, no overlap, nothing left over.
void check_layout(const SafetensorsHeader& header, std::uint64_t data_bytes, const std::string& file) {
  std::vector<const TensorInfo*> order;
  for (const TensorInfo& tensor : header.tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorInfo* a, const TensorInfo* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::uint64_t position = 0;
  for (const TensorInfo* tensor : order) {
    if (tensor->end > data_bytes) {
      bad_header(file, fmt::format("tensor \"{}\" ends at byte {} of the data, found {} bytes; the "
                                   "file is truncated or damaged",
                                   tensor->name, tensor->end, data_bytes));
    }
    if (tensor->begin != position) {
      bad_header(file, fmt::format("tensor \"{}\" begins at byte {}, expected {}: tensors {}", tensor->name,
                                   tensor->begin, position, tensor->begin < position ? "overlap" : "leave a gap"));
    }
    position = tensor->end;
  }
  if (position != data_bytes) {
    bad_header(file, fmt::format("{} bytes after the last tensor belong to none", data_bytes - position));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes, const std::string& name) {
  if (json.empty() || json.front() != '{') bad_header(name, "does not begin with '{'");
  if (json.find('\0') != std::string_view::npos) bad_header(name, "holds a NUL byte");
  HeaderEvents events(name);
  nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  SafetensorsHeader header = events.take();
  check_layout(header, data_bytes, name);
  return header;
}

}  // namespace scorevi::io
