#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "scorevi/data/dataset.h"
#include "sources.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::data {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The label bytes, then planes of red, green and blue that hold red, 100 and 200; the first pixel has red + 1.
std::string record(const std::string& labels, int red) {
  std::string out = labels;
  for (const int value : {red, 100, 200}) out.append(1024, static_cast<char>(value));
  out[labels.size()] = static_cast<char>(red + 1);
  return out;
}

std::string packed(const test::TempDir& dir, const std::string& name, const std::string& bytes) {
  const std::string path = dir.write(name, "");
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return path;
}

DataOptions rooted(const test::TempDir& dir) {
  DataOptions options;
  options.root = dir.path().string();
  return options;
}

TEST(Cifar10, BatchesInOrderRawOrPacked) {
  const test::TempDir dir;
  for (int batch = 1; batch <= 5; ++batch) {
    const std::string name = "cifar-10-batches-bin/data_batch_" + std::to_string(batch) + ".bin";
    const std::string bytes = record(std::string(1, static_cast<char>(batch)), 10 * batch) + record("\x09", batch);
    batch == 3 ? packed(dir, name + ".gz", bytes) : dir.write(name, bytes);
  }
  dir.write("cifar-10-batches-bin/test_batch.bin", record(std::string(1, '\0'), 77));
  DataOptions options = rooted(dir);
  const Dataset all = make_cifar10(options);
  check_dataset(all);
  EXPECT_EQ(all.inputs.sizes(), at::IntArrayRef({11, 3, 32, 32}));
  EXPECT_EQ(all.inputs.scalar_type(), at::kByte);
  EXPECT_EQ(all.official_train, 10);
  EXPECT_EQ(all.input_scale, 255.0);
  EXPECT_EQ(all.class_names.at(9), "truck");
  EXPECT_TRUE(all.targets.equal(at::tensor({1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 0}, at::kLong)));
  EXPECT_EQ(all.inputs[4][0][0][0].item<int>(), 31);
  EXPECT_EQ(all.inputs[4][0][0][1].item<int>(), 30);
  EXPECT_EQ(all.inputs[4][1][31][31].item<int>(), 100);
  EXPECT_EQ(all.inputs[10][2][0][0].item<int>(), 200);
  options.part = "test";
  EXPECT_EQ(make_cifar10(options).official_train, 0);
  EXPECT_EQ(make_cifar10(options).size(), 1);
  options.part = "train";
  EXPECT_EQ(make_cifar10(options).size(), 10);
  options.part = "val";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { make_cifar10(options); }), HasSubstr("all, train, test"));
}

TEST(Cifar10, PartialFilesAreTold) {
  const test::TempDir dir;
  DataOptions options = rooted(dir);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { make_cifar10(options); }),
              AllOf(HasSubstr("data_batch_1.bin[.gz], test_batch.bin[.gz]"), HasSubstr("SCOREVI_DATA")));
  packed(dir, "cifar10/data_batch_1_first3.bin.gz", record("\x05", 1) + record("\x06", 1) + record("\x07", 1));
  dir.write("cifar10/data_batch_1_firstly.bin", "not this one");
  dir.write("cifar10/test_batch_first1.bin", record("\x03", 1));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(make_cifar10(options).official_train, 3);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("data_batch_2, data_batch_3, data_batch_4, data_batch_5 missing"),
                    Not(HasSubstr("data_batch_1,"))));
}

TEST(Cifar10, DamagedFiles) {
  const test::TempDir dir;
  dir.write("test_batch.bin", record("\x03", 1));
  DataOptions options = rooted(dir);
  options.part = "train";
  const auto refused = [&](const std::string& bytes) {
    dir.write("data_batch_1.bin", bytes);
    return message_of(ErrorKind::kData, [&] { make_cifar10(options); });
  };
  EXPECT_THAT(refused(""), HasSubstr("0 bytes"));
  EXPECT_THAT(refused(record("\x03", 1) + "x"), HasSubstr("3074 bytes, expected records of 3073"));
  EXPECT_THAT(refused(record("\x03", 1) + record("\x0A", 1)), HasSubstr("label 10 of record 1, expected 0 to 9"));
  EXPECT_THAT(refused(std::string(std::size_t{10001} * 3073, '\0')), HasSubstr("at most 29.3 MiB"));
}

TEST(Cifar100, FineAndCoarseLabels) {
  const test::TempDir dir;
  dir.write("cifar-100-binary/train.bin", record(std::string("\x13\x63", 2), 5) + record(std::string("\0\0", 2), 6));
  dir.write("cifar-100-binary/test.bin", record("\x01\x02", 7));
  DataOptions options = rooted(dir);
  const Dataset fine = make_cifar100(options);
  check_dataset(fine);
  EXPECT_TRUE(fine.targets.equal(at::tensor({99, 0, 2}, at::kLong)));
  EXPECT_EQ(fine.classes(), 100);
  EXPECT_EQ(fine.class_names.at(99), "worm");
  EXPECT_EQ(fine.official_train, 2);
  EXPECT_EQ(fine.inputs[0][0][0][0].item<int>(), 6);
  options.level = "coarse";
  const Dataset coarse = make_cifar100(options);
  EXPECT_TRUE(coarse.targets.equal(at::tensor({19, 0, 1}, at::kLong)));
  EXPECT_EQ(coarse.classes(), 20);
  options.level = "fine";
  EXPECT_TRUE(make_cifar100(options).targets.equal(fine.targets));
  options.level = "course";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { make_cifar100(options); }), HasSubstr("did you mean \"coarse\""));
}

}  // namespace
}  // namespace scorevi::data
