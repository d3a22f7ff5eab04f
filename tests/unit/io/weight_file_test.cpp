#include "scorevi/io/weight_file.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "little_endian.h"
#include "scorevi/core/error.h"
#include "support/temp_dir.h"
#include "zip_writer.h"

namespace scorevi::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using std::string_literals::operator""s;

const std::string kGolden = "tests/golden/checkpoints/";

std::string pth_bytes(const NamedTensors& tensors) {
  std::string bytes;
  stream_pth(tensors, [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); });
  return bytes;
}

// As PyTorch writes archives without CRCs: otherwise every change is found by the CRC.
void drop_crc(std::string& zip) {
  for (const auto& [signature, crc] : {std::pair("PK\x03\x04", 14), std::pair("PK\x01\x02", 16)}) {
    for (std::size_t at = zip.find(signature); at != std::string::npos; at = zip.find(signature, at + 1))
      zip.replace(at + static_cast<std::size_t>(crc), 4, 4, '\0');
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kData));
    return error.what();
  }
  return "no error";
}

NamedTensors named(const std::vector<std::string>& names) {
  NamedTensors tensors;
  for (const std::string& name : names) tensors.emplace_back(name, at::ones({1}));
  return tensors;
}

std::vector<std::string> first_of(const WeightsLocation& location) {
  std::vector<std::string> names;
  for (const auto& [name, path] : location.names) names.push_back(name);
  return names;
}

TEST(WeightFile, ReadsIntoExistingTensorsWithConversion) {
  const std::string bytes =
      pth_bytes({{"w", at::arange(6, at::kFloat).view({2, 3}) / 4}, {"n", at::tensor({7}, at::kLong)}});
  const WeightFile file = WeightFile::from_bytes(bytes, "m");
  at::Tensor same = at::zeros({2, 3});
  at::Tensor half = at::zeros({2, 3}, at::kHalf);
  at::Tensor strided = at::zeros({3, 2}, at::kDouble).t();
  for (at::Tensor* destination : {&same, &half, &strided}) {
    file.read_into("w", *destination);
    EXPECT_TRUE(at::equal(destination->to(at::kFloat), file.read("w")));
  }
  at::Tensor other = at::zeros({3, 2});
  EXPECT_EQ(message_of([&] { file.read_into("w", other); }), "m: tensor \"w\" has shape [2, 3], expected [3, 2]");
  at::Tensor number = at::zeros({1}, at::kInt);
  EXPECT_EQ(message_of([&] { file.read_into("n", number); }), "m: tensor \"n\" has dtype Long, expected Int");
  EXPECT_THAT(message_of([&] { file.read("ww"); }), HasSubstr("no tensor \"ww\" among 2"));
}

TEST(WeightFile, ReadsStridedTensorsInto) {
  const WeightFile file = WeightFile::open(kGolden + "zip_ok/non_contiguous.pt");
  for (const WeightInfo& info : file.tensors()) {
    const at::Tensor whole = file.read(info.path);
    at::Tensor wide = at::empty(info.shape, whole.is_floating_point() ? at::kDouble : whole.scalar_type());
    file.read_into(info.path, wide);
    EXPECT_TRUE(at::equal(wide, whole.to(wide.scalar_type()))) << info.path;
  }
}

TEST(WeightFile, StridesOfAnEmptyTensorMeanNothing) {
  std::string bytes = pth_bytes({{"w", at::empty({0, 3})}});
  const std::string strides("(J\3\0\0\0J\1\0\0\0t", 12);
  const std::size_t at = bytes.find(strides);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 2, 9, std::string("\xFF\xFF\xFF\x7FJ\xFF\xFF\xFF\x7F", 9));
  drop_crc(bytes);
  EXPECT_EQ(WeightFile::from_bytes(bytes, "m").read("w").sizes(), at::IntArrayRef({0, 3}));
}

// A million leaves may share one long text: what is kept of each must be short, in memory too.
TEST(WeightFile, LongTextsAreCutAtACharacter) {
  std::string text = "x";
  for (int i = 0; i < 20000; ++i) text += "\xC3\xA4";
  std::string bytes;
  ZipWriter zip([&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); });
  const std::string tensor =
      "ctorch._utils\n_rebuild_tensor\n((\x8C\7storagectorch\nFloatStorage\n\x8C\1"
      "0\x8C\3cpuK\1tQK\0))tR"s;
  std::string length;
  append_le(length, static_cast<std::uint32_t>(text.size()));
  zip.add("a/data.pkl", "(" + tensor + "X" + length + text + "t.");
  zip.add("a/data/0", std::string(4, '\0'));
  zip.finish();
  const WeightFile file = WeightFile::from_bytes(bytes, "m");
  ASSERT_EQ(file.values().size(), 1u);
  EXPECT_EQ(file.values()[0].text, text.substr(0, 999));
  EXPECT_LT(file.values()[0].text.capacity(), 2000u);
}

// One element that stands for 2^28.
TEST(WeightFile, AHugeTensorFromASmallStorageIsRefused) {
  std::string bytes = pth_bytes({{"w", at::ones({1, 1})}});
  const std::string ones("(J\1\0\0\0J\1\0\0\0t", 12);
  const std::size_t at = bytes.find(ones + ones);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 24, std::string("(J\0\x40\0\0J\0\x40\0\0t(J\0\0\0\0J\0\0\0\0t", 24));
  drop_crc(bytes);
  EXPECT_THAT(message_of([&] { WeightFile::from_bytes(bytes, "m"); }), HasSubstr("expands far beyond"));
}

TEST(WeightFile, ABoolThatIsNeitherTrueNorFalseIsRefused) {
  std::string bytes = pth_bytes({{"mask", at::ones({5}, at::kBool)}});
  const std::size_t at = bytes.find(std::string(5, '\1'));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\2';
  EXPECT_THAT(message_of([&] { WeightFile::from_bytes(bytes, "m"); }), HasSubstr("CRC"));
  drop_crc(bytes);
  const WeightFile file = WeightFile::from_bytes(bytes, "m");
  EXPECT_THAT(message_of([&] { file.read("mask"); }), HasSubstr("neither 0 nor 1"));
}

TEST(WeightFile, MessagesNameWhatTheFileIs) {
  const auto refusal = [](const std::string& file) { return message_of([&] { WeightFile::open(kGolden + file); }); };
  EXPECT_THAT(refusal("not_checkpoints/html.pth"), HasSubstr("HTML"));
  EXPECT_THAT(refusal("not_checkpoints/git_lfs_pointer.pth"), HasSubstr("Git LFS"));
  EXPECT_THAT(refusal("not_checkpoints/npz_named_pth.pth"), HasSubstr("NumPy"));
  EXPECT_THAT(refusal("not_checkpoints/keras_h5.pth"), HasSubstr("HDF5"));
  EXPECT_THAT(refusal("torchscript/script_module.pt"), HasSubstr("TorchScript"));
  EXPECT_THAT(refusal("tar_legacy/two_tensors.pth.tar"), HasSubstr("tar"));
  EXPECT_THAT(refusal("attack/legacy_os_system.pth"), HasSubstr("\"os.system\" is not allowed"));
  EXPECT_THAT(refusal("classes/whole_user_class.pt"), HasSubstr("__main__.MyNet"));
  EXPECT_THAT(refusal("classes/whole_sequential.pt"), HasSubstr("save its state_dict()"));
  EXPECT_THAT(refusal("no such file"), HasSubstr("cannot be read: No such file"));
}

TEST(FindWeights, LooksBelowTheUsualKeysThenAtTheTop) {
  const auto find = [](const std::vector<std::string>& names) {
    const std::string bytes = pth_bytes(named(names));
    return find_weights(WeightFile::from_bytes(bytes, "m"));
  };
  EXPECT_EQ(find({"a", "b"}).at, "");
  EXPECT_EQ(find({"model/a", "state_dict/b", "epoch"}).at, "state_dict");
  EXPECT_EQ(find({"model/state_dict/a", "model/epoch"}).at, "model/state_dict");
  EXPECT_EQ(find({"other/a", "other/b"}).at, "other");
  EXPECT_EQ(find({"model", "b"}).at, "");
  EXPECT_THAT(message_of([&] { find({"x/a", "y/b"}); }), HasSubstr("below x, y"));
  const WeightsLocation nested = find({"model/a", "model/deep/er"});
  ASSERT_EQ(nested.names.size(), 1u);
  EXPECT_EQ(nested.names.front(), std::pair(std::string("a"), std::string("model/a")));
}

TEST(FindWeights, StripsWhatAllNamesShareAlone) {
  const auto find = [](const std::vector<std::string>& names) {
    const std::string bytes = pth_bytes(named(names));
    return find_weights(WeightFile::from_bytes(bytes, "m"));
  };
  EXPECT_EQ(find({"module.a", "module.b"}).strip, "module.");
  EXPECT_THAT(first_of(find({"module.a", "module.b"})), ElementsAre("a", "b"));
  EXPECT_EQ(find({"_orig_mod.module.a", "_orig_mod.module.b"}).strip, "_orig_mod.module.");
  EXPECT_EQ(find({"module.a", "b"}).strip, "");
  EXPECT_EQ(find({"module.", "module.b"}).strip, "");
  EXPECT_EQ(find({"layer.a", "layer.b"}).strip, "");
}

NamedTensors all_dtypes() {
  NamedTensors tensors;
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kShort,
                                     at::kChar, at::kByte, at::kBool})
    tensors.emplace_back(c10::toString(dtype), at::tensor({0, 1, 1, 0, 1, 0}).to(dtype).view({2, 3}));
  tensors.emplace_back("transposed", at::arange(6).view({2, 3}).t());
  tensors.emplace_back("scalar", at::full({}, 2.5));
  tensors.emplace_back("empty", at::empty({3, 0, 2}));
  tensors.emplace_back("na\xC3\xAFve/..", at::ones({1}));
  return tensors;
}

TEST(PthWriter, WhatIsWrittenIsReadBack) {
  const test::TempDir folder;
  const NamedTensors tensors = all_dtypes();
  write_pth(folder.file("w.pth"), tensors);
  const WeightFile file = WeightFile::open(folder.file("w.pth"));
  EXPECT_EQ(file.format(), WeightFormat::kTorchZip);
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    EXPECT_EQ(file.tensors()[i].path, name);
    EXPECT_EQ(file.tensors()[i].dtype, tensor.scalar_type());
    EXPECT_TRUE(at::equal(file.read(name), tensor)) << name;
  }
}

TEST(PthWriter, TheSameTensorsGiveTheSameAlignedBytes) {
  const std::string elements(16, '\x5B');
  const NamedTensors tensors = {{"a", at::ones({3})}, {"b", at::full({16}, 0x5B, at::kByte)}};
  const std::string bytes = pth_bytes(tensors);
  EXPECT_EQ(bytes, pth_bytes(tensors));
  ASSERT_NE(bytes.find(elements), std::string::npos);
  EXPECT_EQ(bytes.find(elements) % 64, 0u);
}

TEST(PthWriter, RefusesWhatCannotBeStored) {
  EXPECT_THAT(message_of([] { pth_bytes({{"c", at::zeros({1}, at::kComplexFloat)}}); }), HasSubstr("ComplexFloat"));
  EXPECT_THAT(message_of([] { pth_bytes({{"\xFF", at::zeros({1})}}); }), HasSubstr("not UTF-8"));
}

// PyTorch itself, where this machine's Python has it.
TEST(PthWriter, PythonReadsIt) {
  if (std::system("python3 -c 'import torch' > /dev/null 2>&1") != 0) GTEST_SKIP() << "python3 has no torch";
  const test::TempDir folder;
  write_pth(folder.file("w.pth"), all_dtypes());
  folder.write("check.py",
               "import sys, torch\n"
               "state = torch.load(sys.argv[1], weights_only=True)\n"
               "assert list(state)[:2] == ['Double', 'Float'] and len(state) == 14, list(state)\n"
               "assert all(state[n].flatten().tolist() == [0, 1, 1, 0, 1, 0] for n in list(state)[:10])\n"
               "assert state['transposed'].tolist() == [[0, 3], [1, 4], [2, 5]]\n"
               "assert state['BFloat16'].dtype is torch.bfloat16 and state['scalar'].item() == 2.5\n"
               "assert tuple(state['empty'].shape) == (3, 0, 2) and 'na\\u00efve/..' in state\n");
  EXPECT_EQ(std::system(("python3 " + folder.file("check.py") + " " + folder.file("w.pth")).c_str()), 0);
}

}  // namespace
}  // namespace scorevi::io
