#include "scorevi/io/mat.h"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mat_guard.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"

namespace scorevi::io {
namespace {

constexpr double kMaxWhole = 9007199254740992.0;  // 2^53

struct CloseMat {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

template <class T>
std::vector<std::int64_t> whole_numbers(const matvar_t& variable, std::size_t count, const std::string& where) {
  const T* values = static_cast<const T*>(variable.data);
  std::vector<std::int64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!(std::abs(value) <= kMaxWhole) || std::floor(value) != value) {
      throw Error(ErrorKind::kData, fmt::format("{}: number {} is {}, expected whole numbers", where, i + 1, value));
    }
    out[i] = static_cast<std::int64_t>(values[i]);
  }
  return out;
}

// matio turns the numbers into those of the array's class, however they are stored.
std::vector<std::int64_t> converted(const matvar_t& variable, std::size_t count, const std::string& where) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
      return whole_numbers<double>(variable, count, where);
    case MAT_C_SINGLE:
      return whole_numbers<float>(variable, count, where);
    case MAT_C_INT8:
      return whole_numbers<std::int8_t>(variable, count, where);
    case MAT_C_UINT8:
      return whole_numbers<std::uint8_t>(variable, count, where);
    case MAT_C_INT16:
      return whole_numbers<std::int16_t>(variable, count, where);
    case MAT_C_UINT16:
      return whole_numbers<std::uint16_t>(variable, count, where);
    case MAT_C_INT32:
      return whole_numbers<std::int32_t>(variable, count, where);
    case MAT_C_UINT32:
      return whole_numbers<std::uint32_t>(variable, count, where);
    case MAT_C_INT64:
      return whole_numbers<std::int64_t>(variable, count, where);
    case MAT_C_UINT64:
      return whole_numbers<std::uint64_t>(variable, count, where);
    default:
      throw Error(ErrorKind::kData, where + ": no array of numbers");
  }
}

}  // namespace

std::vector<std::int64_t> read_mat_integers(const std::string& path, const std::string& variable) {
  const std::vector<std::string> names = checked_mat_names(read_file(path, kMaxMatBytes), path);
  const std::string where = path + ", " + variable;
  if (std::count(names.begin(), names.end(), variable) != 1) {
    throw Error(ErrorKind::kData, fmt::format("{}: not there once, the file holds {}{}", where,
                                              names.empty() ? "nothing" : join(names), did_you_mean(variable, names)));
  }
  const std::unique_ptr<mat_t, CloseMat> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  const Variable array(file == nullptr ? nullptr : Mat_VarReadInfo(file.get(), variable.c_str()));
  if (array == nullptr || array->rank != 2 || array->dims == nullptr) {
    throw Error(ErrorKind::kData, where + ": damaged, matio finds no array of two dimensions");
  }
  const std::size_t count = array->dims[0] * array->dims[1];
  if (count == 0) return {};
  if (Mat_VarReadDataAll(file.get(), array.get()) != 0 || array->data == nullptr ||
      array->nbytes != count * static_cast<std::size_t>(array->data_size)) {
    throw Error(ErrorKind::kData, where + ": damaged, matio cannot read the numbers");
  }
  return converted(*array, count, where);
}

}  // namespace scorevi::io
