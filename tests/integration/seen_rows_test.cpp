// Rows of a test that the network was trained on: in other data, through model.weights, and in one table.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/picture_folder.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTable = R"(data: {name: csv, task: regression, path: PATH, ignore: [id], test_frac: 0.5}
model: {name: mlp, hidden: [4]}
train: {epochs: 1}
evaluate: {samples: 2, bootstrap: 10}
)";

class SeenRowsTest : public ::testing::Test {
 protected:
  static std::string row(int i) {
    return std::to_string(i) + "," + std::to_string(0.37 * i) + "," + std::to_string(i % 7) + "," +
           std::to_string(2 * i - i % 7) + "\n";
  }
  std::string table(const std::string& name, int first, int last) const {
    std::string text = "id,a,b,y\n";
    for (int i = first; i < last; ++i) text += row(i);
    return folder_.write(name, text);
  }
  std::string config(const std::string& path) const {
    std::string text = kTable;
    return folder_.write("config.yaml", text.replace(text.find("PATH"), 4, path));
  }
  // Of the pictures in the folder `set`; `more` keys of data.
  std::string picture_config(const std::string& more) const {
    return folder_.write("pictures.yaml", "data: {name: image_folder, root: " + folder_.file("set") + more + R"(}
model: {name: cifar_resnet20}
method: {name: map}
train: {epochs: 1}
evaluate: {bootstrap: 10}
)");
  }
  // Names and sizes as of test::write_picture_folder, and other contents.
  void write_other_pictures(const std::string& name, int count) const {
    test::write_picture_folder(folder_, name, count);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.file(name))) {
      if (!entry.is_regular_file()) continue;
      std::string bytes = slurp(entry.path().string());
      bytes[100] = static_cast<char>(bytes[100] ^ 1);
      folder_.write(std::filesystem::relative(entry.path(), folder_.path()).string(), bytes);
    }
  }
  std::string train(const std::string& config, const std::string& run, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"train", config, "--out", folder_.file(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  }
  std::string evaluate(const std::vector<std::string>& more, int code = 0) const {
    std::vector<std::string> arguments = {"evaluate", folder_.file("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    return result.err;
  }
  nlohmann::json split() const { return nlohmann::json::parse(slurp(folder_.file("run/split.json"))); }

  test::TempDir folder_;
};

TEST_F(SeenRowsTest, InATableWithOtherRowsToo) {
  train(config(table("t.csv", 0, 40)), "run");
  const auto counted = [](int count, int all) {
    return "the run was trained or selected on " + std::to_string(count) + " of these " + std::to_string(all) +
           " test rows";
  };
  const auto seen = static_cast<int>(split()["train"].size() + split()["validation"].size());
  EXPECT_THAT(evaluate({"--data", table("more.csv", 0, 50)}), HasSubstr(counted(seen, 50)));
  EXPECT_THAT(evaluate({"--data", table("new.csv", 40, 50)}), Not(HasSubstr("trained or selected")));
  std::string known = "y,b,id,a\n";  // other columns, other numbers in the one that is not read
  for (const int i : {split()["train"][0].get<int>(), split()["train"][1].get<int>()})
    known += std::to_string(2 * i - i % 7) + "," + std::to_string(i % 7) + ",9," + std::to_string(0.37 * i) + "\n";
  EXPECT_THAT(evaluate({"--data", folder_.write("known.csv", known)}, 2),
              HasSubstr(counted(2, 2) + ", expected rows that it has not seen\n"));

  std::filesystem::remove(folder_.file("t.csv"));
  EXPECT_THAT(evaluate({"--data", folder_.write("known.csv", known)}),
              HasSubstr("whether rows are among those it was trained on is not known"));
}

TEST_F(SeenRowsTest, TheTargetOfAnotherTableIsNamed) {
  train(config(table("t.csv", 0, 40)), "run");
  const std::string other = folder_.write("other.csv", "id,a,b,z,last\n1,0.5,2,9,0\n2,0.6,3,11,0\n");
  EXPECT_THAT(evaluate({"--data", other}, 3), HasSubstr("no column \"y\", the target of training"));
  evaluate({"--data", other, "-s", "data.target=z"});
  EXPECT_THAT(slurp(folder_.file("run/evaluation-test-other/predictions.csv")), HasSubstr("other.csv,1,0,9"));
  EXPECT_THAT(evaluate({"-s", "data.target=a"}, 3), HasSubstr("expected the same data set"));
}

TEST_F(SeenRowsTest, InOneTable) {
  std::string text = "id,a,b,y\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + row(i % 20).substr(row(i % 20).find(','));
  const std::string told = train(config(folder_.write("copies.csv", text)), "run");
  EXPECT_THAT(told, HasSubstr(" of 30 test rows are training rows too, cell by cell"));
  EXPECT_THAT(train(config(table("t.csv", 0, 40)), "other"), Not(HasSubstr("training rows too")));
}

TEST_F(SeenRowsTest, InThePicturesOfTheRun) {
  test::write_picture_folder(folder_, "set", 8);
  train(picture_config(", test_frac: 0.25"), "run", {"--limit-batches", "1"});
  test::write_picture_folder(folder_, "copy", 8);
  folder_.write("copy/blue/new.bmp", slurp(folder_.file("set/blue/3.bmp")) + "x");
  const std::size_t rows = split()["train"].size() + split()["validation"].size();
  const std::string counted = "the run was trained or selected on " + std::to_string(rows) + " of these 25 test rows";
  for (const char* label : {"amber", "blue", "coral"})  // names say nothing
    std::filesystem::rename(folder_.file("copy") + "/" + label + "/0.bmp",
                            folder_.file("copy") + "/" + label + "/other.bmp");
  const std::string told = evaluate({"--data", folder_.file("copy")});
  EXPECT_THAT(told, HasSubstr(counted + "; "));

  // Other pictures under the names and of the sizes of the run's own.
  write_other_pictures("other", 8);
  EXPECT_THAT(evaluate({"--data", folder_.file("other")}), Not(HasSubstr("trained or selected")));
  std::filesystem::remove_all(folder_.file("set"));  // nothing but names is left to compare
  EXPECT_THAT(evaluate({"--data", folder_.file("other")}),
              HasSubstr("of these 24 test rows, by folder, name and size of their files; "));
}

// Training and test pictures of equal names and sizes, as cameras number them.
TEST_F(SeenRowsTest, OfficialTestPicturesAreNotTrainingPictures) {
  test::write_picture_folder(folder_, "set/train", 4);
  write_other_pictures("set/test", 4);
  train(picture_config(""), "run", {"--limit-batches", "1"});
  EXPECT_THAT(evaluate({"--data", folder_.file("set/test")}), Not(HasSubstr("trained or selected")));
  EXPECT_THAT(evaluate({"--data", folder_.file("set/train")}, 2), HasSubstr("12 of these 12 test rows"));
  std::filesystem::remove(folder_.file("set/test/blue/0.bmp"));  // the others are still compared by content
  EXPECT_THAT(evaluate({"--data", folder_.file("set/test")}),
              testing::AllOf(HasSubstr("1 of its 24 pictures are not there any more"), Not(HasSubstr("trained or"))));
}

TEST_F(SeenRowsTest, ThroughTheWeightsOfARun) {
  const std::string digits = folder_.write("digits.yaml", R"(data: {name: digits, train_size: 200}
model: {name: mlp, hidden: [4]}
train: {epochs: 1}
evaluate: {samples: 2, bootstrap: 10}
)");
  train(digits, "run", {"-s", "data.validation_frac=0.25"});
  const std::string weights = "model.weights=" + folder_.file("run");
  const auto check = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"check", digits, "-s", weights, "-s", "data.validation_frac=0.25"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments).err;
  };
  EXPECT_THAT(check({}), Not(HasSubstr("rows of " + folder_.file("run"))));
  const std::string other = check({"-s", "seed=1"});
  EXPECT_THAT(other, HasSubstr(" test rows are training or validation rows of " + folder_.file("run")));
  EXPECT_THAT(other, HasSubstr(" of 50 validation rows are training rows of "));
  EXPECT_THAT(other, HasSubstr("; its own split is data.split_seed: 0"));
  EXPECT_THAT(check({"-s", "seed=1", "-s", "data.split_seed=0"}), Not(HasSubstr("rows of " + folder_.file("run"))));
}

TEST_F(SeenRowsTest, ThroughTheWeightsOfARunOnOtherData) {
  train(config(table("t.csv", 0, 40)), "run");
  const std::string weights = "model.weights=" + folder_.file("run");
  const std::string shifted = train(config(table("shifted.csv", 20, 80)), "next", {"-s", weights});
  EXPECT_THAT(shifted, HasSubstr(" of 30 test rows are training or validation rows of " + folder_.file("run")));
  EXPECT_THAT(shifted, HasSubstr("; expected rows that it has not seen"));
  EXPECT_THAT(train(config(table("new.csv", 40, 80)), "last", {"-s", weights}), Not(HasSubstr("model.weights:")));
}

}  // namespace
}  // namespace scorevi
