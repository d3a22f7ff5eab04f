#include "support.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <fstream>
#include <map>

namespace scorevi::kernels {

const Json& golden(const std::string& name) {
  static std::map<std::string, Json> files;
  auto [entry, fresh] = files.try_emplace(name);
  if (fresh) {
    const std::string path = "tests/golden/numbers/" + name + ".json";
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path + ": run the test in the project root");
    entry->second = Json::parse(in);
  }
  return entry->second;
}

double number(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  if (value == ".inf") return std::numeric_limits<double>::infinity();
  if (value == "-.inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

Doubles numbers(const Json& list) {
  Doubles out;
  for (const Json& value : list) out.push_back(number(value));
  return out;
}

Doubles flatten(const Json& rows) {
  Doubles out;
  for (const Json& row : rows) {
    for (const Json& value : row) out.push_back(number(value));
  }
  return out;
}

Doubles row_mean(const Json& a) {
  Doubles mean(a.at(0).size(), 0.0);
  for (const Json& row : a) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += row[j].get<double>() / static_cast<double>(a.size());
    }
  }
  return mean;
}

Doubles row_mean(const Json& a, const Json& b) {
  Doubles mean(a.at(0).size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += a[i][j].get<double>() * b[i][j].get<double>() / static_cast<double>(a.size());
    }
  }
  return mean;
}

namespace {

bool on_cuda() {
  const char* device = std::getenv("SCOREVI_TEST_DEVICE");
  return device != nullptr && std::string(device) == "cuda";
}

}  // namespace

Exec test_exec() {
  Exec exec;
  if (on_cuda()) exec.device = Device::kCuda;
  return exec;
}

template <class T>
Buffer<T>::Buffer(const std::vector<T>& values) {
  const auto options = at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value);
  at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())}, options);
  std::copy(values.begin(), values.end(), tensor.data_ptr<T>());
  if (on_cuda()) tensor = tensor.to(at::kCUDA);
  pointer_ = tensor.data_ptr();
  owner_ = std::make_shared<at::Tensor>(tensor);
}

template <class T>
std::vector<T> Buffer<T>::host() const {
  const at::Tensor tensor = static_cast<const at::Tensor*>(owner_.get())->cpu();
  const T* begin = tensor.data_ptr<T>();
  return std::vector<T>(begin, begin + tensor.numel());
}

template class Buffer<float>;
template class Buffer<double>;

}  // namespace scorevi::kernels
