#include "corpus.h"

#include <ATen/ATen.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scorevi/core/atomic_file.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/io/safetensors.h"
#include "support/mat_files.h"
#include "support/temp_dir.h"

namespace scorevi::fuzz {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 8192;

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string safetensors(const io::NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  std::string out;
  io::stream_safetensors(tensors, metadata,
                         [&](const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); });
  return out;
}

std::string checkpoint(const params::StateDict& state) {
  const test::TempDir folder;
  io::save_checkpoint(folder.file("c"), state);
  return read_file(folder.file("c"), std::int64_t{1} << 20);
}

// A zip archive as PyTorch writes it without CRCs: otherwise the CRC would stop most changes to a record.
std::string without_crc(std::string zip) {
  const std::pair<std::string, std::size_t> headers[] = {{"PK\x03\x04", 14}, {"PK\x01\x02", 16}};
  for (const auto& [signature, crc] : headers) {
    for (std::size_t at = zip.find(signature); at != std::string::npos; at = zip.find(signature, at + 1)) {
      if (at + crc + 4 <= zip.size()) zip.replace(at + crc, 4, 4, '\0');
    }
  }
  return zip;
}

io::NamedTensors example_tensors() {
  return {{"mean.fc.weight", at::arange(6, at::kFloat).view({2, 3})},
          {"log_std.fc.weight", at::full({2, 3}, -3.0, at::kDouble)},
          {"step", at::tensor({41}, at::kLong)},
          {"mask", at::tensor({1, 0, 1}).to(at::kBool)},
          {"half", at::ones({3}, at::kHalf)},
          {"empty", at::empty({0, 4})},
          {"scalar", at::ones({}, at::kBFloat16)}};
}

// The files of a folder of at most 8 KiB, in the order of their names.
Corpus small_files(const std::string& folder, const std::string& extension = "") {
  std::vector<std::filesystem::path> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const bool wanted = extension.empty() || entry.path().extension() == extension;
    if (wanted && entry.is_regular_file() && entry.file_size() <= kMaxFileBytes) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Corpus files;
  for (const auto& path : paths) {
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    files.push_back(bytes.str());
  }
  return files;
}

}  // namespace

Corpus csv_corpus() {
  Corpus corpus = {"a,b,c\n1,2,3\n4,5,6\n",
                   "1;2,5\r\n3;4,5\r\n",
                   "x\ty\n\"say \"\"hi\"\"\"\t2\n\"two\nlines\"\t3\n",
                   "\xEF\xBB\xBFname,n\n\"a, b\",1\nb,\n",
                   "0,0,5,13,9,1,0\n0,0,0,12,13,5,1\n\n",
                   "caf\xC3\xA9,\xF0\x9F\x99\x82\r1,2\r"};
  corpus.push_back(gzip(corpus.front()));
  return corpus;
}

Corpus idx_corpus() {
  const std::string images = std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x03\0\0\0\x04", 16);
  const std::string labels = std::string("\0\0\x08\x01\0\0\0\x0A", 8);
  Corpus corpus = {images + std::string(24, '\x55'), labels + std::string(10, '\x03')};
  corpus.push_back(gzip(corpus.front()));
  return corpus;
}

Corpus image_corpus() {
  Corpus corpus;
  for (const char* folder : {"bmp", "exif", "gif", "jpeg", "jpeg_damaged", "png", "sizes"}) {
    const Corpus files = small_files(std::string("tests/golden/images/files/") + folder, "");
    corpus.insert(corpus.end(), files.begin(), files.end());
  }
  return corpus;
}

Corpus lists_corpus() {
  return {"a b.jpg 3\nc,d.PNG,great dane\r\n# x\ne\t4\n", "banded/banded_0002.jpg\nbanded/x/y.jpg\n",
          "#Image CLASS-ID SPECIES BREED ID\namerican_bulldog_131 2 2 1\nBengal_1 6 1 2\n",
          "1025794 F/A-18\n0056978 Boeing 717\n"};
}

Corpus mat_corpus() {
  using namespace test;
  const std::string plain = mat_row("labels", {77, 5, 102}).element();
  const std::string other = mat_row("x", {}).element();
  const std::string doubles = MatArray{"labels", {2, 2}, 6, 9, le_bytes<double>({1, -2, 3, 4})}.element();
  const std::string bytes = MatArray{"labels", {5, 1}, 9, 2, "abcde"}.element();
  return {mat_header() + plain, mat_header() + other + plain, mat_header() + doubles, mat_header() + bytes + other,
          mat_header() + mat_packed(plain) + mat_packed(other)};
}

Corpus posterior_corpus() { return small_files("data/posteriordb", ".json"); }

Corpus safetensors_corpus() {
  return {safetensors(example_tensors(), {{"format", "pt"}, {"text", "\"\\\n"}}),
          safetensors({{"w", at::ones({2, 2})}}, {}), safetensors({}, {}),
          safetensors({{"a", at::ones({3}, at::kByte)}, {"b", at::ones({5}, at::kInt)}}, {})};
}

Corpus checkpoint_corpus() {
  params::StateDict state;
  state.tensors = example_tensors();
  state.set_int("trainer.step", 41);
  params::StateDict small;
  small.add("w", at::ones({2}));
  return {checkpoint(state), checkpoint(small)};
}

Corpus weight_file_corpus() {
  Corpus corpus;
  for (const char* folder : {"zip_ok", "legacy_ok", "libtorch"}) {
    for (const std::string& bytes : small_files(std::string("tests/golden/checkpoints/") + folder)) {
      corpus.push_back(bytes);
      if (bytes.substr(0, 2) == "PK") corpus.push_back(without_crc(bytes));
    }
  }
  return corpus;
}

Corpus config_corpus() {
  Corpus corpus = {"seed: 0\ndata: {name: digits, train_size: 300}\noptimizer: {lr: 1e-3}\n",
                   "train:\n  epochs: 20\n  monitor: val_nll\nmodel:\n  hidden: [100, 50]\n",
                   "a: &x {b: 1}\nc: *x\nlist:\n  - 1\n  - {k: \"v\"}\n",
                   // The next ones fit SampleOptions, so that dumping is reached; the last are overrides.
                   "name: 'a b'\ndata: {name: x, shuffle: no, limit: null}\nclip: 1e-3\n",
                   "data:\n  name: \"\\t\\x41\"\nmodel: {hidden: [7, 8], tags: [a, 'null', \"1\"], weights: w.pt}\n",
                   "data: {name: d}\nprior:\n  std: .inf\n  groups: [&g {match: 'fc.*', std: 2}, *g]\n",
                   "data: {name: d}\noptimizer: {name: adam, betas: [0.5, 0.25], lr: 2, epsilon: 1e-9}\ndevice: cpu\n",
                   "data: {name: d}\noptimizer:\n  name: sgd\n  momentum: 0\nseed: 9223372036854775807\n",
                   "model.hidden=[1, 2]", "a.0.b={c: [d, \"e\"]}"};
  const Corpus files = small_files("configs", ".yaml");
  corpus.insert(corpus.end(), files.begin(), files.end());
  return corpus;
}

}  // namespace scorevi::fuzz
