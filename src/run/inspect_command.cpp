#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "file_kind.h"
#include "known_weights.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/terminal.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/io/image.h"
#include "scorevi/io/weight_file.h"
#include "scorevi/metrics/png.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

namespace fs = std::filesystem;
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

Json inspect_checkpoint(const std::string& given, const InspectRequest& /*request*/) {
  const bool known = find_known_weights(given) != nullptr && !fs::exists(given);
  const std::string path = known ? find_weights_file(given, "") : given;
  const io::WeightFile file = io::WeightFile::open(path);
  if (io::is_checkpoint(file)) io::verify_checkpoint(path);
  Json facts{{"file", path}};
  facts["outcome"] = "ok";
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
  for (const auto& [path, tensor] : facts["tensors"].items()) width = std::max(width, printable(path).size());
  for (const auto& [path, tensor] : facts["tensors"].items()) {
    const std::string digits = tensor["sha256"].get<std::string>().substr(0, kShownDigits);
    out << fmt::format("  {:<{}}  {:<8}  {}  [{}]\n", printable(path), width, tensor["dtype"].get<std::string>(),
                       digits, fmt::join(tensor["shape"].get<std::vector<int64_t>>(), ", "));
  }
  if (!facts.contains("weights")) return;
  const Json& weights = facts["weights"];
  out << fmt::format("  weights: {} tensors at \"{}\"", weights["tensors"].get<std::size_t>(),
                     printable(weights["at"].get<std::string>()));
  const std::string strip = printable(weights["strip"].get<std::string>());
  if (!strip.empty()) out << ", without \"" << strip << "\"";
  out << "\n";
}

// Facts of one picture. With a folder to decode into, a PNG of what was read is written there.
Json inspect_image(const std::string& path, const InspectRequest& request) {
  const io::DecodedImage decoded = io::read_image(path);
  const io::Image& image = decoded.image;
  Json facts;
  facts["outcome"] = decoded.partial || !decoded.warnings.empty() ? "partial" : "ok";
  facts["format"] = decoded.format;
  facts["width"] = image.width;
  facts["height"] = image.height;
  facts["orientation"] = decoded.orientation;
  Sha256 hash;
  hash.update(image.rgb.data(), image.rgb.size());
  facts["rgb_sha256"] = hash.hex();
  if (!decoded.warnings.empty()) facts["reason"] = decoded.warnings.front();
  if (!request.decode.empty()) {
    metrics::Picture picture;
    picture.width = static_cast<int>(image.width);
    picture.height = static_cast<int>(image.height);
    picture.channels = 3;
    picture.pixels = image.rgb;
    const fs::path name = fs::path(path).filename().string() + ".png";
    write_file_atomic((fs::path(request.decode) / name).string(), metrics::encode_png(picture));
  }
  return facts;
}

void print_image(const Json& facts, std::ostream& out) {
  out << fmt::format("  {} x {} pixels, SHA-256 of RGB {}{}\n", facts["width"].get<int64_t>(),
                     facts["height"].get<int64_t>(), facts["rgb_sha256"].get<std::string>().substr(0, kShownDigits),
                     facts["orientation"] == 1
                         ? ""
                         : fmt::format(", EXIF orientation {} (not applied)", facts["orientation"].get<int>()));
  if (facts.contains("reason")) out << "  damaged: " << facts["reason"].get<std::string>() << "\n";
}

bool is_image(const std::string& path) { return kind_of_file(path) == FileKind::kPicture; }

// What can be inspected. The first kind that knows a file by its first bytes takes it, the last takes what is left.
struct Inspector {
  const char* name;
  bool (*knows)(const std::string& path);
  Json (*inspect)(const std::string& path,
                  const InspectRequest& request);  // throws Error(kData) with the path for a file that is refused
  void (*print)(const Json& facts, std::ostream& out);
};
constexpr Inspector kInspectors[] = {
    {"image", is_image, inspect_image, print_image},
    {"checkpoint", [](const std::string&) { return true; }, inspect_checkpoint, print_checkpoint},
};

const Inspector& inspector_of(const std::string& path) {
  return *std::find_if(std::begin(kInspectors), std::end(kInspectors),
                       [&](const Inspector& kind) { return kind.knows(path); });
}

// The facts of one file; "outcome" is ok, partial or refused.
Json inspect_file(const Inspector& kind, const std::string& path, const InspectRequest& request) {
  Json facts{{"file", path}, {"kind", kind.name}};
  try {
    facts.update(kind.inspect(path, request));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    facts["outcome"] = "refused";
    facts["reason"] = error.what();
  }
  return facts;
}

void print_text(const Inspector& kind, const Json& facts, std::ostream& out) {
  if (facts["outcome"] == "refused") {
    out << "refused  " << printable(facts["reason"].get<std::string>(), "\n") << "\n";
    return;
  }
  out << fmt::format("{}: {}\n", printable(facts["file"].get<std::string>()), facts["format"].get<std::string>());
  kind.print(facts, out);
}

// Each picture becomes a file of its own name.
void check_names(const std::vector<std::string>& paths) {
  std::map<std::string, std::string> path_of;
  for (const std::string& path : paths) {
    if (!is_image(path)) continue;
    const auto [found, is_new] = path_of.emplace(fs::path(path).filename().string(), path);
    if (!is_new)
      throw Error(ErrorKind::kUsage, "inspect: --decode writes " + found->second + " and " + path +
                                         " to the same file, expected different names");
  }
}

}  // namespace

int inspect(const InspectRequest& request, std::ostream& out) {
  if (!request.decode.empty()) {
    check_names(request.files);
    make_folder(request.decode);
  }
  int code = 0;
  for (const std::string& path : request.files) {
    const Inspector& kind = inspector_of(path);
    const Json facts = inspect_file(kind, path, request);
    if (facts["outcome"] == "refused") code = kDataExitCode;
    if (request.json) {
      out << facts.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << "\n";
    } else {
      print_text(kind, facts, out);
    }
    out.flush();
  }
  return code;
}

}  // namespace scorevi::run
