#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "folder_walk.h"
#include "picture_sources.h"
#include "picture_tree.h"
#include "scorevi/core/signals.h"
#include "scorevi/data/pictures.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

using test::classes_of;
using test::files_of;
using test::message_of;
using test::rooted;
using test::touch;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ImageFolder, OnePoolWithNestedFolders) {
  const test::TempDir dir;
  touch(dir, {"dog/b.jpg", "dog/deep/er/a.PNG", "cat/1.jpeg", "cat/2.Gif", "bird house/\xC3\xBC 1.bmp"});
  const PictureList list = list_image_folder(rooted(dir.path().string()));
  EXPECT_EQ(list.train, -1);
  EXPECT_THAT(list.class_names, ElementsAre("bird house", "cat", "dog"));
  EXPECT_THAT(files_of(list, dir.path().string()),
              ElementsAre("bird house/\xC3\xBC 1.bmp", "cat/1.jpeg", "cat/2.Gif", "dog/b.jpg", "dog/deep/er/a.PNG"));
  EXPECT_THAT(list.labels, ElementsAre(0, 1, 1, 2, 2));
}

TEST(ImageFolder, OfficialPartsUnderEachNameOfValidation) {
  for (const std::string validation : {"val", "valid", "validation"}) {
    const test::TempDir dir;
    touch(dir, {"train/a/1.jpg", "train/b/2.jpg", "train/b/3.jpg", validation + "/b/4.jpg", "test/a/5.jpg",
                "test/only_here/6.jpg", "extra/a/7.jpg"});
    DataOptions options = rooted(dir.path().string());
    const PictureList list = list_image_folder(options);
    EXPECT_EQ(list.train, 3);
    EXPECT_EQ(list.validation, 1);
    EXPECT_THAT(classes_of(list), ElementsAre("a", "b", "b", "b", "a", "only_here"));
    options.part = "train";
    EXPECT_EQ(list_image_folder(options).size(), 4);
    options.part = "test";
    const PictureList test_part = list_image_folder(options);
    EXPECT_EQ(test_part.train, 0);
    EXPECT_EQ(test_part.validation, 0);
    EXPECT_THAT(test_part.labels, ElementsAre(0, 2));  // numbered as with all parts
  }
}

TEST(ImageFolder, WhatIsLeftOutOfItIsTold) {
  const test::TempDir dir;
  touch(dir, {"train/a/1.jpg", "train/empty/readme.txt", "test/new/2.jpg", "train/loose.jpg"});
  ::testing::internal::CaptureStderr();
  const PictureList list = list_image_folder(rooted(dir.path().string()));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, AllOf(HasSubstr("without a picture"), HasSubstr("train/empty")));
  EXPECT_THAT(log, HasSubstr(dir.file("train") + ": 1 files outside the class folders"));
  EXPECT_THAT(log, HasSubstr("1 no picture by name"));
  EXPECT_THAT(list.class_names, ElementsAre("a", "new"));
}

TEST(ImageFolder, ALinkThatLeadsNowhereIsADamagedPicture) {
  const test::TempDir dir;
  touch(dir, {"a/1.jpg", "b/1.jpg"});
  std::filesystem::create_symlink("gone.jpg", dir.path() / "a/2.jpg");
  DataOptions options = rooted(dir.path().string());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(options); }), HasSubstr("1 of 3 listed pictures"));
  options.on_bad_image = "skip";
  EXPECT_EQ(list_image_folder(options).size(), 3);
}

TEST(ImageFolder, LayoutsThatBeginnersMakeAreRefused) {
  const test::TempDir flat, capitals;
  touch(flat, {"1.jpg", "2.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(flat.path().string())); }),
              HasSubstr(flat.path().string() +
                        ": 2 files lie in the folder itself, expected a folder for each "
                        "class: " +
                        flat.path().string() + "/<class>/<picture>"));
  const test::TempDir loose, vehicles;
  touch(loose, {"train/1.jpg", "train/2.jpg", "train/3.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(loose.path().string())); }),
              HasSubstr(loose.file("train") + ": 3 files lie in the folder itself"));
  touch(vehicles, {"train/1.jpg", "bus/1.jpg", "car/1.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(vehicles.path().string())); }),
              AllOf(HasSubstr(vehicles.file("train") + " stands for the training part"),
                    HasSubstr(vehicles.file("bus") + " beside it holds pictures")));
  const test::TempDir notes;
  touch(notes, {"train/a/1.jpg", "train/b/1.jpg", "notes/readme.txt"});
  EXPECT_EQ(list_image_folder(rooted(notes.path().string())).size(), 2);
  touch(capitals, {"Train/a/1.jpg", "Test/a/2.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(capitals.path().string())); }),
              HasSubstr("has a folder Test, expected test"));
}

TEST(ImageFolder, HiddenAndOtherFilesAreLeftOutAndCounted) {
  const test::TempDir dir;
  touch(dir, {"a/1.jpg", "a/._1.jpg", "a/.DS_Store", "a/Thumbs.db", "a/notes.txt", "a/b/x.webp", "a/b/y.tif", "a/b/z",
              "a/.ipynb_checkpoints/1.jpg", "__MACOSX/a/1.jpg", ".git/a/1.jpg"});
  LeftOut left_out;
  EXPECT_EQ(pictures_below(dir.file("a"), left_out).size(), 1u);
  EXPECT_EQ(left_out.hidden, 4u);
  EXPECT_EQ(left_out.other, 4u);
  EXPECT_THAT(left_out_text(left_out), AllOf(HasSubstr("4 hidden, 4 no picture by name ("), HasSubstr(", ...)")));
  EXPECT_EQ(left_out_text(LeftOut{}), "");
  EXPECT_THAT(list_image_folder(rooted(dir.path().string())).class_names, ElementsAre("a"));
}

TEST(ImageFolder, LinksInACircleEnd) {
  const test::TempDir dir;
  touch(dir, {"a/1.jpg", "elsewhere/2.jpg", "b/3.jpg"});
  fs::create_directory_symlink(dir.path(), dir.path() / "a" / "up");
  fs::create_directory_symlink(dir.path() / "a", dir.path() / "a" / "self");
  fs::create_directory_symlink("two", dir.path() / "b" / "one");
  fs::create_directory_symlink("one", dir.path() / "b" / "two");
  LeftOut left_out;
  EXPECT_EQ(pictures_below(dir.file("a"), left_out).size(), 3u);  // the links lead to the whole tree, once
  fs::remove(dir.path() / "a" / "up");
  fs::create_symlink(dir.path() / "a" / "1.jpg", dir.path() / "b" / "linked.jpg");
  EXPECT_THAT(files_of(list_image_folder(rooted(dir.path().string())), dir.path().string()),
              ElementsAre("a/1.jpg", "b/3.jpg", "b/linked.jpg", "elsewhere/2.jpg"));
}

TEST(ImageFolder, APictureIsNamedByItsOwnPlace) {
  const test::TempDir dir;
  touch(dir, {"a/b/1.jpg", "z/2.jpg"});
  fs::create_directory_symlink(dir.path() / "z", dir.path() / "a" / "link");
  fs::create_directory_symlink(dir.path() / "a" / "b", dir.path() / "z" / "link");
  LeftOut left_out;
  const std::vector<std::string> found = pictures_below(dir.path().string(), left_out);
  EXPECT_THAT(found, ElementsAre(dir.file("a/b/1.jpg"), dir.file("z/2.jpg")));
}

TEST(ImageFolder, ASignalEndsADecoding) {
  const test::TempDir dir;
  touch(dir, {"a/1.jpg", "b/2.jpg"});
  const PictureFiles files({dir.file("a/1.jpg"), dir.file("b/2.jpg")}, PictureFileOptions{});
  EXPECT_EQ(files.bad_rows({0, 1}, PictureForm{}, 2).size(), 2U);
  set_pending_signal(SIGINT);
  EXPECT_THROW(files.bad_rows({0, 1}, PictureForm{}, 2), Interrupted);
  set_pending_signal(0);
}

TEST(ImageFolder, ManyLinksToOneFolderStayLinear) {
  const test::TempDir dir;
  touch(dir, {"a/level0/1.jpg"});
  for (int level = 1; level < 40; ++level) {  // 2^40 paths
    const fs::path folder = dir.path() / "a" / ("level" + std::to_string(level));
    fs::create_directory(folder);
    for (const char* link : {"left", "right"}) {
      fs::create_directory_symlink(dir.path() / "a" / ("level" + std::to_string(level - 1)), folder / link);
    }
  }
  LeftOut left_out;
  EXPECT_EQ(pictures_below(dir.file("a"), left_out).size(), 1u);
}

TEST(ImageFolder, ABrokenLinkIsAMissingPicture) {
  const test::TempDir dir;
  touch(dir, {"a/1.jpg"});
  fs::create_symlink("nowhere.jpg", dir.path() / "a" / "2.jpg");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(dir.path().string())); }),
              AllOf(HasSubstr("1 of 2 listed pictures are missing"), HasSubstr("a/2.jpg")));
}

TEST(ImageFolder, MistakesAreNamed) {
  const test::TempDir dir;
  const std::string root = dir.path().string();
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { list_image_folder(DataOptions{}); }), HasSubstr("data.root"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(dir.file("none"))); }),
              HasSubstr("is no folder"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(root)); }), HasSubstr("no pictures"));
  touch(dir, {"test/a/1.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(root)); }), HasSubstr("expected train"));
  touch(dir, {"train/a/1.jpg", "val/a/1.jpg", "valid/a/1.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(root)); }), HasSubstr("val, valid"));
  const test::TempDir pool;
  touch(pool, {"a/1.jpg"});
  DataOptions options = rooted(pool.path().string());
  options.part = "test";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_image_folder(options); }), HasSubstr("expected all"));
  options.part = "tset";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_image_folder(options); }), HasSubstr("all, train, test"));
  touch(pool, {"b\xFF/1.jpg"});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_folder(rooted(pool.path().string())); }),
              HasSubstr("b\\xff: the name of this class is no UTF-8 text"));
}

}  // namespace
}  // namespace scorevi::data
