#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/io/weight_file.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDataExitCode = 3;
constexpr std::size_t kShownDigits = 12;  // of a SHA-256 in the table for people

struct DtypeName {
  at::ScalarType dtype;
  const char* name;  // as PyTorch prints it
};
constexpr DtypeName kDtypeNames[] = {{at::kDouble, "float64"},    {at::kFloat, "float32"}, {at::kHalf, "float16"},
                                     {at::kBFloat16, "bfloat16"}, {at::kLong, "int64"},    {at::kInt, "int32"},
                                     {at::kShort, "int16"},       {at::kChar, "int8"},     {at::kByte, "uint8"},
                                     {at::kBool, "bool"}};

const char* dtype_name(at::ScalarType dtype) {
  const auto* found = std::find_if(std::begin(kDtypeNames), std::end(kDtypeNames),
                                   [&](const DtypeName& row) { return row.dtype == dtype; });
  return found == std::end(kDtypeNames) ? c10::toString(dtype) : found->name;
}

// Where a loader would look, if there is such a place.
void add_weights(const io::WeightFile& file, Json& facts) {
  try {
    const io::WeightsLocation location = io::find_weights(file);
    facts["weights"] = {{"at", location.at}, {"strip", location.strip}, {"tensors", location.names.size()}};
  } catch (const Error& error) {
    log().debug("{}", error.what());
  }
}

Json inspect_checkpoint(const std::string& path) {
  const io::WeightFile file = io::WeightFile::open(path);
  Json facts;
  facts["format"] = io::format_name(file.format());
  add_weights(file, facts);
  facts["tensors"] = Json::object();
  // Paths are unique: appending saves a search for each of them.
  auto& tensors = facts["tensors"].get_ref<Json::object_t&>();
  for (const io::WeightInfo& tensor : file.tensors()) {
    const Json row = {
        {"dtype", dtype_name(tensor.dtype)}, {"shape", tensor.shape}, {"sha256", file.sha256(tensor.path)}};
    tensors.emplace_back(tensor.path, row);
  }
  return facts;
}

void print_checkpoint(const Json& facts, std::ostream& out) {
  std::size_t width = 0;
  for (const auto& [path, tensor] : facts["tensors"].items()) width = std::max(width, path.size());
  for (const auto& [path, tensor] : facts["tensors"].items()) {
    const std::string digits = tensor["sha256"].get<std::string>().substr(0, kShownDigits);
    out << fmt::format("  {:<{}}  {:<8}  {}  [{}]\n", path, width, tensor["dtype"].get<std::string>(), digits,
                       fmt::join(tensor["shape"].get<std::vector<int64_t>>(), ", "));
  }
  if (!facts.contains("weights")) return;
  const Json& weights = facts["weights"];
  out << fmt::format("  weights: {} tensors at \"{}\"", weights["tensors"].get<std::size_t>(),
                     weights["at"].get<std::string>());
  const auto strip = weights["strip"].get<std::string>();
  if (!strip.empty()) out << ", without \"" << strip << "\"";
  out << "\n";
}

// What can be inspected. The first kind that knows a file by its first bytes takes it, the last takes what is left.
struct FileKind {
  const char* name;
  bool (*knows)(const std::string& path);
  Json (*inspect)(const std::string& path);  // throws Error(kData) with the path for a file that is refused
  void (*print)(const Json& facts, std::ostream& out);
};
constexpr FileKind kKinds[] = {
    {"checkpoint", [](const std::string&) { return true; }, inspect_checkpoint, print_checkpoint},
};

const FileKind& kind_of(const std::string& path) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds), [&](const FileKind& kind) { return kind.knows(path); });
}

// The facts of one file; "outcome" is ok or refused.
Json inspect_file(const FileKind& kind, const std::string& path) {
  Json facts{{"file", path}, {"kind", kind.name}};
  try {
    Json found = kind.inspect(path);
    facts["outcome"] = "ok";
    facts.update(found);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    facts["outcome"] = "refused";
    facts["reason"] = error.what();
  }
  return facts;
}

void print_text(const FileKind& kind, const Json& facts, std::ostream& out) {
  if (facts["outcome"] == "refused") {
    out << "refused  " << facts["reason"].get<std::string>() << "\n";
    return;
  }
  out << fmt::format("{}: {}\n", facts["file"].get<std::string>(), facts["format"].get<std::string>());
  kind.print(facts, out);
}

}  // namespace

int inspect(const InspectRequest& request, std::ostream& out) {
  int code = 0;
  for (const std::string& path : request.files) {
    const FileKind& kind = kind_of(path);
    const Json facts = inspect_file(kind, path);
    if (facts["outcome"] == "refused") code = kDataExitCode;
    if (request.json) {
      out << facts.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    } else {
      print_text(kind, facts, out);
    }
    out.flush();
  }
  return code;
}

}  // namespace scorevi::run
