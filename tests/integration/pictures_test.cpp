// A run on a user's own folder of pictures, from training to predictions.
#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/sha256.h"
#include "scorevi/io/csv.h"
#include "scorevi/io/safetensors.h"
#include "support/picture_folder.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfig = R"(name: pictures
seed: 1
threads: 1
data:
  name: image_folder
  root: ROOT
  validation_frac: 0.25
  batch_size: 8
  workers: 2
  augment: {name: standard, mixup: 0.2, label_smoothing: 0.1, erasing: 0.2, rotation: 10}
model: {name: cifar_resnet20}
posterior: {init_std: 1.0e-3}
optimizer: {name: adam, lr: 1.0e-2}
train: {epochs: 3, eval_every: 1, eval_samples: 2, log_every_steps: 1, checkpoint_every: 1}
evaluate: {samples: 3, bootstrap: 20}
)";

class PicturesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_picture_folder(folder_, "set", 24);
    std::string text = kConfig;
    config_ = folder_.write("config.yaml", text.replace(text.find("ROOT"), 4, folder_.file("set")));
  }

  test::ProgramResult train(const std::string& run, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train", config_, "--out", folder_.file(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  void train_ok(const std::string& run, const std::vector<std::string>& more = {}) const {
    const auto result = train(run, more);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  nlohmann::json report(const std::string& run, const std::string& folder = "evaluation") const {
    return nlohmann::json::parse(slurp(folder_.file(run + "/" + folder + "/report.json")));
  }
  void expect_same(const std::string& a, const std::string& b, const std::vector<std::string>& files) const {
    for (const std::string& file : files) {
      const std::string first = slurp(folder_.file(a + "/" + file));
      ASSERT_FALSE(first.empty()) << file;
      EXPECT_TRUE(first == slurp(folder_.file(b + "/" + file))) << file << " differs";
    }
  }

  TempDir folder_;
  std::string config_;
};

const std::vector<std::string> kResults = {"metrics.csv",
                                           "steps.jsonl",
                                           "split.json",
                                           "checkpoints/last.safetensors",
                                           "checkpoints/best.safetensors",
                                           "evaluation/predictions.csv"};

TEST_F(PicturesTest, TrainsOnAFolderAndPredictsNewPictures) {
  train_ok("run", {"-s", "method={name: map}", "-s", "train.epochs=8"});
  EXPECT_LT(report("run")["metrics"]["error"]["value"].get<double>(), 0.35);
  EXPECT_THAT(slurp(folder_.file("run/evaluation/report.html")), HasSubstr("data:image/png;base64"));

  test::write_picture_folder(folder_, "new", 2);
  folder_.write("new/blue/broken.png", "not a picture");
  const auto predicted = run_program({"predict", folder_.file("run"), folder_.file("new"), "--out",
                                      folder_.file("p.csv"), "--sheet", folder_.file("sheet.html")});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.err, HasSubstr("broken.png"));
  EXPECT_THAT(predicted.err, HasSubstr("1 of 7 pictures cannot be read"));
  const io::CsvTable table = io::read_csv(folder_.file("p.csv"));
  ASSERT_EQ(table.rows(), 6U);
  for (const char* column :
       {"file", "predicted", "confidence", "entropy", "mutual_information", "second", "p_amber", "p_blue", "p_coral"})
    EXPECT_NO_THROW(table.column(column)) << column;
  EXPECT_THAT(slurp(folder_.file("sheet.html")), HasSubstr("1.bmp"));
}

TEST_F(PicturesTest, ResumedRunsAreBitEqual) {
  for (const char* batch_norm : {"running", "recalibrate"}) {
    const std::string setting = std::string("train.batch_norm=") + batch_norm;
    const std::string whole = std::string("whole_") + batch_norm, cut = std::string("cut_") + batch_norm;
    train_ok(whole, {"-s", setting});
    train_ok(cut, {"-s", setting, "--max-steps", "7"});
    const auto resumed = run_program({"train", "--resume", folder_.file(cut)});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    expect_same(whole, cut, kResults);
  }
}

TEST_F(PicturesTest, WorkersAndCacheChangeNothing) {
  train_ok("a");
  train_ok("b", {"-s", "data.workers=0", "-s", "data.cache=decoded"});
  // Checkpoints carry the run's identity, which the configuration is a part of.
  expect_same("a", "b", {"metrics.csv", "steps.jsonl", "split.json", "evaluation/predictions.csv"});
}

TEST_F(PicturesTest, ViewsAndOtherSets) {
  train_ok("run");
  const auto views = run_program({"evaluate", folder_.file("run"), "-s", "evaluate.views=flip"});
  ASSERT_EQ(views.exit_code, 0) << views.err;
  EXPECT_NE(report("run", "evaluation-test")["metrics"]["nll"]["value"], report("run")["metrics"]["nll"]["value"]);

  for (const char* name : {"/blue", "/coral"}) {
    std::filesystem::create_directories(folder_.file("more") + name);
    std::filesystem::copy(folder_.file("set") + name, folder_.file("more") + name);
  }
  const auto more = run_program({"evaluate", folder_.file("run"), "--data", folder_.file("more")});
  ASSERT_EQ(more.exit_code, 0);
  EXPECT_THAT(more.err, ::testing::ContainsRegex("trained or selected on [0-9]+ of these 48 test rows"));
  EXPECT_EQ(report("run", "evaluation-test-more")["n"], 48);
  std::filesystem::rename(folder_.file("more/coral"), folder_.file("more/pink"));
  const auto unknown = run_program({"evaluate", folder_.file("run"), "--data", folder_.file("more")});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("classes that the run does not have: pink; expected some of"));

  folder_.write("noise/x/0.bmp", test::bmp_bytes(30, 50, [](int x, int y) {
                  return std::vector<int>{(x * 37 + y * 91) % 256, (x * 11) % 256, (y * 53) % 256};
                }));
  const std::string other =
      folder_.write("other.yaml", "data: {name: image_folder, root: " + folder_.file("set") + ", test_frac: 0.25}\n");
  const auto expect_scores = [&](const std::string& given, const std::string& name, int rows) {
    const auto ood = run_program({"evaluate", folder_.file("run"), "--ood", given});
    ASSERT_EQ(ood.exit_code, 0) << ood.err;
    EXPECT_THAT(ood.out, HasSubstr("AUROC"));
    const auto result = nlohmann::json::parse(slurp(folder_.file("run/evaluation-test-ood-" + name + "/ood.json")));
    EXPECT_EQ(result["in_rows"], 36);
    EXPECT_EQ(result["out_rows"], rows);
    EXPECT_GE(result["scores"]["entropy"]["auroc"].get<double>(), 0.0);
  };
  expect_scores(folder_.file("noise"), "noise", 1);
  expect_scores(other, "image_folder-set", 18);
}

TEST_F(PicturesTest, DamagedPicturesEndARunOrNot) {
  folder_.write("set/amber/zz.jpg", "\xFF\xD8\xFF and then nothing");
  const auto stopped = train("stopped");
  EXPECT_EQ(stopped.exit_code, 3) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("zz.jpg"));
  std::filesystem::create_symlink("gone.jpg", folder_.path() / "set/blue/zz.jpg");
  const std::string damaged = "tests/golden/images/files/jpeg_damaged/";
  folder_.write("set/blue/half.jpg", slurp(damaged + "truncated_70.jpg"));
  folder_.write("set/blue/none.jpg", slurp(damaged + "no_entropy_data.jpg"));
  const auto skipping = train("skipping", {"-s", "data.on_bad_image=skip", "-s", "train.epochs=1"});
  ASSERT_EQ(skipping.exit_code, 0) << skipping.err;
  const std::string bad = folder_.file("skipping/bad_pictures.csv");
  EXPECT_THAT(skipping.err, HasSubstr("3 pictures that are left out and 1 that are used though they are damaged in "
                                      "part are listed in " +
                                      bad));
  const std::string told = "half.jpg: damaged, pixels may be missing";
  const std::size_t once = skipping.err.find(told);
  ASSERT_NE(once, std::string::npos) << skipping.err;
  EXPECT_EQ(skipping.err.find(told, once + 1), std::string::npos) << skipping.err;
  io::CsvOptions csv;
  csv.header = io::CsvHeader::kYes;
  const io::CsvTable table = io::read_csv(bad, csv);
  ASSERT_EQ(table.rows(), 4U);
  for (const auto& [row, file] :
       {std::pair(0, "amber/zz.jpg"), {1, "blue/none.jpg"}, {2, "blue/zz.jpg"}, {3, "blue/half.jpg"}}) {
    EXPECT_EQ(table.cell(row, table.column("file")), folder_.file(std::string("set/") + file));
    EXPECT_EQ(table.cell(row, table.column("used")), row == 3 ? "yes" : "no");
    EXPECT_FALSE(table.cell(row, table.column("reason")).empty());
  }
  const auto checked = run_program({"check", config_, "-s", "data.on_bad_image=skip"});
  EXPECT_THAT(checked.out, HasSubstr("73 pictures, 0 cannot be decoded; 1 file damaged in part"));
  const auto substituting = train("substituting", {"-s", "data.on_bad_image=substitute", "-s", "train.epochs=1"});
  ASSERT_EQ(substituting.exit_code, 0) << substituting.err;
  const std::string list = folder_.file("substituting/bad_pictures.csv");
  EXPECT_THAT(substituting.err,
              HasSubstr("1 file damaged in part, 3 files unreadable, a grey picture stands in; listed in " + list));
  const io::CsvTable odd = io::read_csv(list, csv);
  ASSERT_EQ(odd.rows(), 4U);
  for (std::size_t row = 0; row < odd.rows(); ++row) {
    const bool part = odd.cell(row, odd.column("file")) == folder_.file("set/blue/half.jpg");
    EXPECT_EQ(odd.cell(row, odd.column("used")), part ? "yes" : "grey");
  }
}

TEST_F(PicturesTest, DamageInPartIsToldAtTheEnd) {
  const std::string bytes = slurp("tests/golden/images/files/jpeg_damaged/truncated_70.jpg");
  const std::string half = folder_.write("set/blue/half.jpg", bytes);
  const auto trained = train("run", {"-s", "train.epochs=1"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string list = folder_.file("run/bad_pictures.csv");
  EXPECT_THAT(trained.err, HasSubstr("image_folder: 1 file damaged in part; listed in " + list));
  EXPECT_THAT(slurp(list), HasSubstr(half + ",yes,"));
  test::write_picture_folder(folder_, "more", 2);
  const std::string other = folder_.write("more/blue/half.jpg", bytes);
  const auto again = run_program({"evaluate", folder_.file("run"), "--data", folder_.file("more")});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(slurp(folder_.file("run/evaluation-test-more/bad_pictures.csv")), HasSubstr(other + ",yes,"));
  const auto predicted = run_program({"predict", folder_.file("run"), half});
  EXPECT_THAT(predicted.err, HasSubstr("1 file damaged in part"));
}

TEST_F(PicturesTest, APartWithoutAReadablePictureIsRefused) {
  test::write_picture_folder(folder_, "parts/train", 8);
  for (const char* part : {"val", "test"}) {
    for (const char* name : {"blue/0.jpg", "coral/0.jpg"})
      folder_.write(std::string("parts/") + part + "/" + name, "not a picture");
    const auto refused =
        run_program({"check", config_, "-s", "data.on_bad_image=skip", "-s", "data.root=" + folder_.file("parts")});
    EXPECT_EQ(refused.exit_code, 3) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr(std::string("none of the 2 ") + (part[0] == 'v' ? "validation" : "test") +
                                       " pictures can be read, the first is " +
                                       folder_.file(std::string("parts/") + part + "/blue/0.jpg")));
    std::filesystem::remove_all(folder_.file(std::string("parts/") + part));
  }
}

TEST_F(PicturesTest, DamagedTestPicturesAreFoundBeforeTheFirstStep) {
  for (const char* part : {"train", "val", "test"})
    test::write_picture_folder(folder_, std::string("parts/") + part, 4);
  const std::vector<std::string> on_parts = {"-s", "data.root=" + folder_.file("parts"), "-s", "train.epochs=1"};
  train_ok("run", on_parts);
  const std::string picture = folder_.file("parts/test/blue/1.bmp");
  const auto bytes = slurp(picture).size();
  folder_.write("parts/test/blue/1.bmp", std::string(bytes, 'x'));
  const auto refused = train("refused", on_parts);
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("data.on_bad_image: 1 pictures cannot be decoded, the first is " + picture));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("refused")));
  // A run that is there can be evaluated all the same.
  EXPECT_EQ(run_program({"evaluate", folder_.file("run")}).exit_code, 3);
  const auto grey = run_program({"evaluate", folder_.file("run"), "-s", "data.on_bad_image=substitute"});
  ASSERT_EQ(grey.exit_code, 0) << grey.err;
  EXPECT_THAT(slurp(folder_.file("run/evaluation-test/bad_pictures.csv")), HasSubstr(picture + ",grey,"));
  EXPECT_EQ(run_program({"train", "--resume", folder_.file("run"), "-s", "data.on_bad_image=substitute", "-s",
                         "train.epochs=2"})
                .exit_code,
            0);
}

TEST_F(PicturesTest, PicturesOfOtherSizesAreFoundBeforeTheFirstStep) {
  const auto refused = train("refused", {"-s", "data.image={size: 36, resize: 0}"});
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("data.image.resize: 0 takes pictures as they are, and "));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("refused")));
}

TEST_F(PicturesTest, TheFirstFileThatChangedIsNamed) {
  train_ok("run", {"-s", "train.epochs=1"});
  const auto told = [&] {
    const auto result = run_program({"evaluate", folder_.file("run")});
    EXPECT_EQ(result.exit_code, 3);
    return result.err;
  };
  const std::string blue = slurp(folder_.file("set/blue/3.bmp"));
  folder_.write("set/blue/3.bmp", blue + "x");
  EXPECT_THAT(told(), HasSubstr("expected the same data set; blue/3.bmp has another size or class\n"));
  std::filesystem::remove(folder_.file("set/blue/3.bmp"));
  std::filesystem::remove(folder_.file("set/coral/3.bmp"));
  EXPECT_THAT(told(), HasSubstr("expected the same data set; blue/3.bmp is gone, and 1 more differ\n"));
  folder_.write("set/blue/3.bmp", blue);
  folder_.write("set/coral/3.bmp", blue);
  folder_.write("set/blue/new.bmp", blue);
  EXPECT_THAT(told(), HasSubstr("new.bmp is new"));
}

TEST_F(PicturesTest, ASweepKnowsItsPictures) {
  const std::vector<std::string> sweep = {
      "sweep", folder_.write("sweep.yaml", "name: s\nbase: config.yaml\nvariants: {a: {method: {name: map}}}\n"),
      "--out", folder_.file("out"),
      "-s",    "train.epochs=1"};
  ASSERT_EQ(run_program(sweep).exit_code, 0);
  EXPECT_THAT(run_program(sweep).err, HasSubstr("1 already finished"));
  folder_.write("set/blue/new.bmp", slurp(folder_.file("set/blue/3.bmp")));
  const auto refused = run_program(sweep);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("out/a: data: SHA-256"));
}

// The means of a run go on in another one, which knows what it began with.
TEST_F(PicturesTest, ARunBeginsWithTheMeansOfAnother) {
  train_ok("first", {"-s", "train.epochs=1"});
  const auto second = train("second", {"-s", "model.weights=" + folder_.file("first"), "-s", "train.epochs=1"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const std::string best = folder_.file("first/checkpoints/best.safetensors");
  EXPECT_THAT(second.err, HasSubstr("tensors of the network from " + best + ", the means of a run"));
  const auto info = nlohmann::json::parse(slurp(folder_.file("second/run.json")));
  EXPECT_EQ(info["weights"]["path"], best);
  EXPECT_EQ(info["weights"]["sha256"], sha256_file(best));
  EXPECT_EQ(run_program({"evaluate", folder_.file("second")}).exit_code, 0);
}

// The head knows other classes then: it is new, and for predictions the run still is what it was.
TEST_F(PicturesTest, TheMeansOfARunOnOtherClassesLeaveTheHeadNew) {
  train_ok("first", {"-s", "train.epochs=1"});
  std::filesystem::rename(folder_.file("set/blue"), folder_.file("set/zinc"));
  const auto second = train("second", {"-s", "model.weights=" + folder_.file("first"), "-s",
                                       "posterior.match=[\"@head\"]", "--max-steps", "3"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("the head linear begins anew: its classes are others (here alone: zinc; in the run "
                                    "alone: blue)"));
  const auto weights = [&] { return nlohmann::json::parse(slurp(folder_.file("second/run.json")))["weights"]; };
  EXPECT_EQ(weights()["head"], "new");
  const std::string copy = folder_.write("copy.safetensors", slurp(weights()["path"].get<std::string>()));
  std::filesystem::rename(folder_.file("first"), folder_.file("moved"));
  const auto lost = run_program({"train", "--resume", folder_.file("second")});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.err, HasSubstr("at another place: -s model.weights=FILE"));
  EXPECT_THAT(lost.err, Not(HasSubstr("data.path")));
  const auto torn = run_program({"train", "--resume", folder_.file("second"), "-s", "model.weights=" + copy});
  EXPECT_EQ(torn.exit_code, 3);
  EXPECT_THAT(torn.err, HasSubstr("the run began with the head new, now it is kept"));
  const auto resumed =
      run_program({"train", "--resume", folder_.file("second"), "-s", "model.weights=" + folder_.file("moved")});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(PicturesTest, AFileThatIsNoPictureIsNamed) {
  train_ok("run", {"-s", "train.epochs=1"});
  for (const auto& [name, kind] : {std::pair("t.csv", "a table"), std::pair("w.pth", "a weight file")}) {
    const auto result = run_program({"predict", folder_.file("run"), folder_.write(name, "a,b\n1,2\n")});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr(std::string(name) + ": is " + kind +
                                      ", expected pictures or folders of them: the run was trained on data set "
                                      "image_folder"));
  }
}

TEST_F(PicturesTest, AFolderOneLevelTooHighIsTold) {
  const auto refused = run_program({"check", config_, "-s", "data.root=" + folder_.path().string()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("1 class (set), expected at least 2; is the folder of the classes one level "
                                     "deeper, or"));
}

TEST_F(PicturesTest, CheckFindsDamagedPictures) {
  folder_.write("set/amber/zz.jpg", "\xFF\xD8\xFF and then nothing");
  const auto refused = run_program({"check", config_});
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("1 cannot be decoded"));
  EXPECT_THAT(refused.err, HasSubstr("data.on_bad_image"));
}

TEST_F(PicturesTest, OfficialPartsAreUsedAsTheyAre) {
  for (const char* part : {"train", "val", "test"})
    test::write_picture_folder(folder_, std::string("parts/") + part, 4);
  folder_.write("parts/test/violet/0.bmp", slurp(folder_.file("set/blue/0.bmp")));
  const std::string root = "data.root=" + folder_.file("parts");
  const auto checked = run_program({"check", config_, "-s", root});
  EXPECT_THAT(checked.out, HasSubstr("train       12 rows"));
  EXPECT_THAT(checked.out, HasSubstr("validation  12 rows"));
  EXPECT_THAT(checked.err, HasSubstr("1 of 4 classes have no training rows: violet"));
  const auto split = run_program({"check", config_, "-s", root, "-s", "data.validation=split"});
  EXPECT_THAT(split.out, HasSubstr("train       18 rows"));
  EXPECT_THAT(run_program({"check", config_, "-s", root, "-s", "data.train_size=8"}).err,
              HasSubstr("data.train_size draws from training and validation part together"));
}

TEST_F(PicturesTest, PicturesInTrainingAndTestAreTold) {
  for (const char* part : {"train", "test"})
    test::write_picture_folder(folder_, std::string("parts/") + part, 4);  // the same in both
  const std::string root = "data.root=" + folder_.file("parts"), told = "test pictures are training pictures too";
  const std::string other = slurp(folder_.file("parts/test/blue/1.bmp"));
  std::string changed = other;
  changed.back() = static_cast<char>(changed.back() ^ 1);  // of equal size
  folder_.write("parts/test/blue/1.bmp", changed);
  std::filesystem::remove(folder_.file("parts/train/coral/0.bmp"));
  const auto checked = run_program({"check", config_, "-s", root, "-s", "data.validation_frac=0"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.err, HasSubstr("10 of 12 " + told));
  EXPECT_THAT(checked.err, HasSubstr("/train/amber/"));
  EXPECT_THAT(checked.err, Not(HasSubstr("test/blue/1.bmp")));
  EXPECT_THAT(checked.err, Not(HasSubstr("test/coral/0.bmp")));
  EXPECT_THAT(run_program({"check", config_}).err, Not(HasSubstr(told)));
}

TEST_F(PicturesTest, PicturesInTwoPartsOrClassesAreTold) {
  test::write_picture_folder(folder_, "parts/train", 8);
  const auto copy = [&](const std::string& from, const std::string& to) {
    return folder_.write("parts/" + to, slurp(folder_.file("parts/train/" + from)));
  };
  copy("blue/0.bmp", "val/blue/a.bmp");
  copy("coral/1.bmp", "val/coral/a.bmp");
  folder_.write("parts/val/coral/b.bmp", "alone");
  folder_.write("parts/test/blue/t.bmp", slurp(folder_.file("parts/val/blue/a.bmp")));
  copy("amber/2.bmp", "train/blue/x.bmp");
  const auto warned = train(
      "run", {"-s", "data.root=" + folder_.file("parts"), "-s", "data.on_bad_image=substitute", "--max-steps", "1"});
  EXPECT_THAT(warned.err, HasSubstr("2 of 3 validation pictures are training pictures too, byte for byte; "));
  EXPECT_THAT(warned.err, HasSubstr("1 of 1 test pictures are validation pictures too, byte for byte; "));
  EXPECT_THAT(warned.err, HasSubstr("1 of 1 test pictures are training pictures too, byte for byte; "));
  EXPECT_THAT(warned.err,
              HasSubstr("1 pictures are there in another class too, byte for byte; one of the two is "
                        "wrong: " +
                        folder_.file("parts/train/amber/2.bmp") + " = " + folder_.file("parts/train/blue/x.bmp")));
  EXPECT_THAT(run_program({"check", config_}).err, Not(HasSubstr("byte for byte")));
}

TEST_F(PicturesTest, TestRowsComeFromTheTrainingPartWhereThereIsNoOther) {
  test::write_picture_folder(folder_, "parts/train", 8);
  test::write_picture_folder(folder_, "parts/val", 4);
  const std::string root = "data.root=" + folder_.file("parts");
  const auto checked = run_program({"check", config_, "-s", root, "-s", "data.test_frac=0.25"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("train       18 rows"));
  EXPECT_THAT(checked.out, HasSubstr("validation  12 rows"));
  EXPECT_THAT(checked.out, HasSubstr("test        6 rows"));
  EXPECT_THAT(checked.err, HasSubstr("has no test part; 6 of the training rows are held out for testing"));
}

TEST_F(PicturesTest, OnePictureIsPredictedAsAmongOthers) {
  for (const char* policy : {"running", "recalibrate"}) {
    const std::string run = folder_.file(std::string("run_") + policy), one = folder_.file("set/blue/3.bmp");
    train_ok(std::string("run_") + policy, {"-s", std::string("train.batch_norm=") + policy, "-s", "train.epochs=1"});
    const auto alone = run_program({"predict", run, one});
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const auto all = run_program({"predict", run, folder_.file("set")});
    ASSERT_EQ(all.exit_code, 0) << all.err;
    const io::CsvTable first = io::parse_csv(alone.out, "alone"), second = io::parse_csv(all.out, "all");
    const double expected = first.number(0, first.column("p_blue")).value();
    for (std::size_t row = 0; row < second.rows(); ++row) {
      if (second.cell(row, second.column("file")) != one) continue;
      EXPECT_NEAR(second.number(row, second.column("p_blue")).value(), expected, 1e-5);
    }
  }
}

TEST_F(PicturesTest, RecalibrationWithoutItsPicturesIsExplained) {
  train_ok("run", {"-s", "train.batch_norm=recalibrate", "-s", "train.epochs=1"});
  std::filesystem::rename(folder_.file("set"), folder_.file("moved"));
  const auto refused = run_program({"predict", folder_.file("run"), folder_.file("moved/blue/3.bmp")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("the batch-norm statistics of this run are estimated on its training rows"));
}

TEST_F(PicturesTest, InputsAreNeverOverwritten) {
  train_ok("run", {"-s", "train.epochs=1"});
  const std::string picture = folder_.file("set/blue/3.bmp"), before = slurp(picture);
  const auto refused = run_program({"predict", folder_.file("run"), folder_.file("set"), "--out", picture});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_TRUE(slurp(picture) == before);
}

// A weight file with one layer: the body is frozen, so predictions depend on it.
TEST_F(PicturesTest, OtherWeightsThanTheRunBeganWithAreRefused) {
  const std::string weights = folder_.file("w.safetensors");
  io::write_safetensors(weights, {{"conv1.weight", at::full({16, 3, 3, 3}, 0.1)}}, {});
  const std::vector<std::string> settings = {"-s", "model.weights=" + weights, "-s", "posterior.match=[\"@head\"]",
                                             "-s", "train.epochs=2",           "-s", "train.batch_norm=running"};
  std::vector<std::string> cut = settings;
  cut.insert(cut.end(), {"--max-steps", "3"});
  train_ok("cut", cut);
  train_ok("run", settings);
  const std::string one = folder_.file("set/blue/3.bmp");
  EXPECT_EQ(run_program({"predict", folder_.file("run"), one}).exit_code, 0);
  const std::string copy = folder_.write("copy.safetensors", slurp(weights));
  io::write_safetensors(weights, {{"conv1.weight", at::full({16, 3, 3, 3}, 0.2)}}, {});
  const std::string moved = "model.weights=" + copy;
  EXPECT_EQ(run_program({"predict", folder_.file("run"), one, "-s", moved}).exit_code, 0);
  EXPECT_EQ(run_program({"predict", folder_.file("run"), one, "-s", "model.name=mlp"}).exit_code, 2);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"predict", folder_.file("run"), one},
                                             {"evaluate", folder_.file("run")},
                                             {"train", "--resume", folder_.file("cut")}}) {
    const auto refused = run_program(command);
    EXPECT_EQ(refused.exit_code, 3) << command[0];
    EXPECT_THAT(refused.err, HasSubstr("the run began with weights of SHA-256")) << command[0];
  }
}

TEST_F(PicturesTest, KeysWithoutEffectAreRefused) {
  const auto expect_refusal = [&](const std::vector<std::string>& settings, const std::string& message) {
    std::vector<std::string> arguments = {"check", config_};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
    const auto refused = run_program(arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr(message));
  };
  expect_refusal({"prior.mean=pretrained"}, "prior.mean: pretrained needs model.weights");
  expect_refusal({"model.strict=true"}, "model.strict: needs model.weights");
  expect_refusal({"posterior.match=[]"}, "posterior.match: is empty");
  const std::string digits = "data={name: digits, image: {size: 16}}";
  expect_refusal({digits, "model={name: mlp}"}, "data.image: is for pictures");
  expect_refusal({"data={name: digits}", "model={name: mlp}", "evaluate.views=flip"}, "evaluate.views: got flip");
  expect_refusal({"model={name: mlp}", "prior.groups=[{match: \"@head\", std: 1}]"}, "model mlp has no head by name");
}

TEST_F(PicturesTest, InspectTellsPictures) {
  const std::string good = folder_.file("set/blue/0.bmp"), bad = folder_.write("bad.jpg", "<html>");
  const auto told = run_program({"inspect", good, bad, "--json", "--decode", folder_.file("png")});
  EXPECT_EQ(told.exit_code, 3);
  const std::size_t end = told.out.find('\n');
  const auto first = nlohmann::json::parse(told.out.substr(0, end));
  EXPECT_EQ(first["kind"], "image");
  EXPECT_EQ(first["outcome"], "ok");
  EXPECT_EQ(first["format"], "BMP");
  EXPECT_EQ(first["width"], 40);
  EXPECT_EQ(first["height"], 36);
  const auto second = nlohmann::json::parse(told.out.substr(end));
  EXPECT_EQ(second["outcome"], "refused");
  const auto decoded = run_program({"inspect", folder_.file("png/0.bmp.png"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(decoded.out)["rgb_sha256"], first["rgb_sha256"]);
}

// Linux names are any bytes; what is written about them is UTF-8.
TEST_F(PicturesTest, NamesThatAreNoUtf8) {
  std::filesystem::rename(folder_.file("set/blue/3.bmp"), folder_.file("set/blue/gr\xFCn.bmp"));
  std::filesystem::rename(folder_.file("set"), folder_.file("s\xE9t"));
  const std::string run = folder_.file("r\xFCn"), root = folder_.file("s\xE9t");
  const auto trained = run_program(
      {"train", config_, "--out", run, "-s", "data.root=" + root, "-s", "train.epochs=1", "-s", "method={name: map}"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("r\\xfcn"));
  EXPECT_NO_THROW(nlohmann::json::parse(slurp(run + "/evaluation/report.json")));
  ASSERT_EQ(run_program({"evaluate", run}).exit_code, 0);
  const auto predicted = run_program({"predict", run, root, "--sheet", folder_.file("sheet.html")});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("s\\xe9t/blue/gr\\xfcn.bmp"));
  const auto missing = run_program({"predict", run, folder_.file("n\xFCll")});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("n\\xfcll: no such file or folder"));

  std::filesystem::rename(root + "/blue", root + "/bl\xFC");
  const auto refused = run_program({"check", config_, "-s", "data.root=" + root});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("bl\\xfc: the name of this class is no UTF-8 text"));
}

TEST_F(PicturesTest, ANewHeadThatIsFrozenIsRefused) {
  const std::string weights = folder_.file("w.safetensors");
  io::write_safetensors(weights, {{"conv1.weight", at::full({16, 3, 3, 3}, 0.1)}}, {});
  const std::vector<std::string> settings = {"-s", "model.weights=" + weights,      "-s", "train.batch_norm=running",
                                             "-s", "posterior.match=[\"layer3.*\"]"};
  const auto refused = train("refused", settings);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("posterior.match: linear.weight of the new head is frozen at 0"));
  train_ok("random", {"-s", "model.weights=" + weights, "-s", "train.batch_norm=running", "-s",
                      "posterior.match=[\"layer3.*\"]", "-s", "model.head_start=random", "--max-steps", "1"});
  std::vector<std::string> points = settings;
  points.insert(points.end(), {"-s", "posterior.rest=map", "--max-steps", "1"});
  train_ok("points", points);
}

TEST_F(PicturesTest, AFolderOfOneClassIsEvaluated) {
  train_ok("run", {"-s", "train.epochs=1"});
  test::write_picture_folder(folder_, "new", 3);
  for (const char* other : {"amber", "coral"}) std::filesystem::remove_all(folder_.file("new") + "/" + other);
  folder_.write("new/blue/4.bmp", test::bmp_bytes(41, 37, [](int x, int y) { return std::vector<int>{x, y, 90}; }));
  const auto evaluated = run_program({"evaluate", folder_.file("run"), "--data", folder_.file("new")});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_THAT(evaluated.out, HasSubstr("(4 rows, "));
}

TEST_F(PicturesTest, PicturesOfEqualNamesAreNotWrittenToOneFile) {
  const std::string a = folder_.file("set/amber/0.bmp"), b = folder_.file("set/blue/0.bmp");
  const auto refused = run_program({"inspect", a, b, "--decode", folder_.file("png")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("writes " + a + " and " + b + " to the same file"));
  train_ok("run", {"-s", "train.epochs=1"});
  std::filesystem::create_directory(folder_.file("d"));
  EXPECT_EQ(
      run_program({"predict", folder_.file("run"), a, "--out", folder_.file("d/../o"), "--sheet", folder_.file("o")})
          .exit_code,
      2);
}

// Numbers of grey pictures say nothing.
TEST_F(PicturesTest, AnEvaluationOfGreyPicturesAloneIsRefused) {
  train_ok("run", {"-s", "train.epochs=1", "-s", "data.on_bad_image=substitute"});
  for (const char* name : {"new/blue/0.bmp", "new/amber/0.bmp"}) folder_.write(name, "no picture");
  const auto refused = run_program({"evaluate", folder_.file("run"), "--data", folder_.file("new")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("none of the 2 pictures to be evaluated can be read"));
  for (const char* part : {"train", "test"}) test::write_picture_folder(folder_, std::string("parts/") + part, 4);
  for (const char* label : {"amber", "blue", "coral"})
    for (int i = 0; i < 4; ++i)
      folder_.write("parts/test/" + std::string(label) + "/" + std::to_string(i) + ".bmp", "no picture");
  const auto early = train("early", {"-s", "data.root=" + folder_.file("parts"), "-s", "data.on_bad_image=substitute"});
  EXPECT_EQ(early.exit_code, 3);
  EXPECT_THAT(early.err, HasSubstr("none of the 12 test pictures can be read"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("early")));
}

TEST_F(PicturesTest, WhatChangesNoResultMayChangeLater) {
  train_ok("run", {"--max-steps", "2"});
  train_ok("whole");
  EXPECT_EQ(run_program({"train", "--resume", folder_.file("run"), "-s", "data.cache=decoded"}).exit_code, 0);
  expect_same("run", "whole", kResults);
  EXPECT_EQ(run_program({"evaluate", folder_.file("run"), "-s", "data.cache=none"}).exit_code, 0);
}

TEST_F(PicturesTest, FrozenBodiesHaveNoParameters) {
  train_ok("head", {"-s", "posterior.match=[\"@head\"]", "-s", "train.epochs=1"});
  EXPECT_EQ(nlohmann::json::parse(slurp(folder_.file("head/run.json")))["parameters"], 64 * 3 + 3);
}

}  // namespace
}  // namespace scorevi
