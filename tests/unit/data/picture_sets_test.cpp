#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_sources.h"
#include "picture_tree.h"
#include "support/error_of.h"
#include "support/mat_files.h"

namespace scorevi::data {
namespace {

using test::classes_of;
using test::files_of;
using test::mat_header;
using test::mat_packed;
using test::mat_row;
using test::message_of;
using test::rooted;
using test::touch;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Dtd, OfficialLayout) {
  const test::TempDir dir;
  touch(dir, {"dtd/images/banded/b_1.jpg", "dtd/images/banded/b_2.jpg", "dtd/images/dotted/d_1.jpg",
              "dtd/images/woven/w_1.jpg"});
  for (const char* part : {"train1", "val1", "test1"}) dir.write(fmt::format("dtd/labels/{}.txt", part), "");
  dir.write("dtd/labels/train10.txt", "woven/w_1.jpg\nbanded/b_2.jpg\n");
  dir.write("dtd/labels/val10.txt", "dotted/d_1.jpg\n");
  dir.write("dtd/labels/test10.txt", "banded/b_1.jpg\n");
  DataOptions options = rooted(dir.path().string());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_dtd(options); }), HasSubstr("no pictures"));
  options.partition = 10;
  const PictureList list = list_dtd(options);
  EXPECT_THAT(list.class_names, ElementsAre("banded", "dotted", "woven"));
  EXPECT_THAT(list.labels, ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(files_of(list, dir.file("dtd/images")),
              ElementsAre("woven/w_1.jpg", "banded/b_2.jpg", "dotted/d_1.jpg", "banded/b_1.jpg"));
  EXPECT_EQ(list.train, 2);
  EXPECT_EQ(list.validation, 1);
  options.root = dir.file("dtd");  // the folder itself is right, too
  EXPECT_EQ(list_dtd(options).size(), 4);
  for (const std::int64_t wrong : {0, 11}) {
    options.partition = wrong;
    EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_dtd(options); }), HasSubstr("expected 1 to 10"));
  }
}

TEST(Dtd, OtherFoldersOfLists) {
  const test::TempDir dir;
  touch(dir, {"images/a/1.jpg", "images/a/2.jpg", "images/b/3.jpg", "images/b/4.jpg"});
  for (const char* folder : {"labels_subset", "mine"}) {
    dir.write(fmt::format("{}/train1.txt", folder), folder[0] == 'm' ? "b/4.jpg\n" : "a/1.jpg\n");
    dir.write(fmt::format("{}/val1.txt", folder), "a/2.jpg\n");
    dir.write(fmt::format("{}/test1.txt", folder), "b/3.jpg\n");
  }
  DataOptions options = rooted(dir.path().string());
  EXPECT_THAT(list_dtd(options).paths.front(), HasSubstr("images/a/1.jpg"));
  options.labels_dir = "mine";
  EXPECT_THAT(list_dtd(options).paths.front(), HasSubstr("images/b/4.jpg"));
  options.labels_dir = "none";
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_dtd(options); }),
              AllOf(HasSubstr("lacks none"), HasSubstr(dir.path().string())));
}

TEST(OxfordPets, ClassNumbersWithGaps) {
  const test::TempDir dir;
  touch(dir, {"oxford-iiit-pet/images/Bengal_1.jpg", "oxford-iiit-pet/images/american_bulldog_2.jpg",
              "oxford-iiit-pet/images/american_bulldog_10.jpg", "oxford-iiit-pet/images/Abyssinian_3.jpg"});
  dir.write("oxford-iiit-pet/annotations/trainval.txt",
            "#Image CLASS-ID SPECIES BREED ID\n#\nBengal_1 6 1 2\namerican_bulldog_2 2 2 1\nAbyssinian_3 1 1 1\n");
  dir.write("oxford-iiit-pet/annotations/test.txt", "american_bulldog_10 2 2 1\n");
  const PictureList list = list_oxford_pets(rooted(dir.path().string()));
  EXPECT_THAT(list.class_names, ElementsAre("Abyssinian", "american_bulldog", "Bengal"));
  EXPECT_THAT(list.labels, ElementsAre(2, 1, 0, 1));
  EXPECT_EQ(list.train, 3);
  EXPECT_EQ(list.validation, 0);
}

TEST(OxfordPets, NumbersAndBreedsMustAgree) {
  const test::TempDir dir;
  touch(dir, {"images/a_1.jpg", "images/b_1.jpg"});
  dir.write("annotations/trainval.txt", "a_1 1 1 1\n");
  DataOptions options = rooted(dir.path().string());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_oxford_pets(options); }), HasSubstr("test.txt"));
  for (const char* wrong : {"a_2 2 1 1\n", "b_1 1 1 1\n"}) {
    dir.write("annotations/test.txt", wrong);
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_oxford_pets(options); }), HasSubstr("test.txt:1")) << wrong;
  }
}

// 6 pictures; 1 and 4 train, 2 validation, 3, 5, 6 test.
void write_flowers(const test::TempDir& dir) {
  for (int i = 1; i <= 6; ++i) dir.write(fmt::format("flowers102/jpg/image_{:05}.jpg", i), "");
  dir.write("flowers102/imagelabels.mat",
            mat_header() + mat_packed(mat_row("labels", {102, 1, 1, 2, 102, 50}).element()));
  dir.write("flowers102/setid.mat", mat_header() + mat_packed(mat_row("trnid", {4, 1}).element()) +
                                        mat_packed(mat_row("valid", {2}).element()) +
                                        mat_packed(mat_row("tstid", {6, 3, 5}).element()));
}

TEST(Flowers102, LabelsFromZeroAndPicturesFromOne) {
  const test::TempDir dir;
  write_flowers(dir);
  const PictureList list = list_flowers102(rooted(dir.path().string()));
  EXPECT_THAT(files_of(list, dir.file("flowers102/jpg")),
              ElementsAre("image_00004.jpg", "image_00001.jpg", "image_00002.jpg", "image_00006.jpg", "image_00003.jpg",
                          "image_00005.jpg"));
  EXPECT_THAT(list.labels, ElementsAre(1, 101, 0, 49, 0, 101));
  EXPECT_EQ(list.train, 2);
  EXPECT_EQ(list.validation, 1);
  ASSERT_EQ(list.class_names.size(), 102u);
  EXPECT_EQ(list.class_names.front(), "flower_001");
  EXPECT_EQ(list.class_names.back(), "flower_102");
}

TEST(Flowers102, NamesInATextFile) {
  const test::TempDir dir;
  write_flowers(dir);
  std::string names = "# a comment\n";
  for (int i = 1; i <= 101; ++i) names += fmt::format("kind {}\n", i);
  dir.write("flowers102/class_names.txt", names);
  const DataOptions options = rooted(dir.path().string());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_flowers102(options); }), HasSubstr("101 names"));
  dir.write("flowers102/class_names.txt", names + "kind 1\n");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_flowers102(options); }), HasSubstr("101 of them different"));
  dir.write("flowers102/class_names.txt", names + "last\n");
  EXPECT_THAT(classes_of(list_flowers102(options)),
              ElementsAre("kind 2", "last", "kind 1", "kind 50", "kind 1", "last"));
}

TEST(Flowers102, WrongNumbers) {
  const test::TempDir dir;
  write_flowers(dir);
  const DataOptions options = rooted(dir.path().string());
  const auto with_labels = [&](const std::vector<std::uint16_t>& labels) {
    dir.write("flowers102/imagelabels.mat", mat_header() + mat_row("labels", labels).element());
    return message_of(ErrorKind::kData, [&] { list_flowers102(options); });
  };
  EXPECT_THAT(with_labels({102, 1, 1, 0, 102, 50}), HasSubstr("number 4 is 0, expected 1 to 102"));
  EXPECT_THAT(with_labels({103, 1, 1, 1, 102, 50}), HasSubstr("number 1 is 103"));
  EXPECT_THAT(with_labels({102, 1, 1, 1, 102}), HasSubstr("tstid: picture number 6, expected 1 to 5"));
  write_flowers(dir);
  dir.write("flowers102/setid.mat", mat_header() + mat_row("trnid", {4, 1}).element() +
                                        mat_row("valid", {1}).element() + mat_row("tstid", {0}).element());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_flowers102(options); }), HasSubstr("picture number 0"));
  dir.write("flowers102/setid.mat", mat_header() + mat_row("trnid", {4, 1}).element() +
                                        mat_row("valid", {1}).element() + mat_row("tstid", {3}).element());
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_flowers102(options); }), HasSubstr("more than one of the parts"));
}

void write_aircraft(const test::TempDir& dir, const std::string& level) {
  const std::string data = "fgvc-aircraft-2013b/data/";
  for (const char* id : {"0001", "0002", "0003", "0004"}) dir.write(data + "images/" + id + ".jpg", "");
  dir.write(data + "images_" + level + "_train.txt", "0001 F/A-18\n0002 Boeing 717\n");
  dir.write(data + "images_" + level + "_val.txt", "0003 DC-10\n");
  dir.write(data + "images_" + level + "_trainval.txt", "0001 F/A-18\n0002 Boeing 717\n0003 DC-10\n");
  dir.write(data + "images_" + level + "_test.txt", "0004 Boeing 717\n");
}

TEST(FgvcAircraft, EachLevelWithItsOwnLists) {
  const test::TempDir dir;
  write_aircraft(dir, "variant");
  DataOptions options = rooted(dir.path().string());
  const PictureList list = list_fgvc_aircraft(options);
  EXPECT_THAT(classes_of(list), ElementsAre("F/A-18", "Boeing 717", "DC-10", "Boeing 717"));
  EXPECT_THAT(list.class_names, ElementsAre("Boeing 717", "DC-10", "F/A-18"));
  EXPECT_EQ(list.train, 2);
  EXPECT_EQ(list.validation, 1);
  for (const std::string level : {"family", "manufacturer"}) {
    options.level = level;
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_fgvc_aircraft(options); }),
                HasSubstr("images_" + level + "_test.txt"));
    write_aircraft(dir, level);
    EXPECT_EQ(list_fgvc_aircraft(options).size(), 4);
  }
  options.level = "varient";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_fgvc_aircraft(options); }),
              AllOf(HasSubstr("variant, family, manufacturer"), HasSubstr("did you mean \"variant\"")));
}

TEST(FgvcAircraft, TheFileOfClassesDecidesNamesAndOrder) {
  const test::TempDir dir;
  write_aircraft(dir, "variant");
  const DataOptions options = rooted(dir.path().string());
  const std::string file = "fgvc-aircraft-2013b/data/variants.txt";
  dir.write(file, "F/A-18\nDC-10\nA380\nBoeing 717\n");
  EXPECT_THAT(list_fgvc_aircraft(options).labels, ElementsAre(0, 3, 1, 3));
  dir.write(file, "F/A-18\nDC-10\nBoeing 727\n");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_fgvc_aircraft(options); }),
              AllOf(HasSubstr("images_variant_train.txt:2"), HasSubstr("did you mean \"Boeing 727\"")));
  dir.write(file, "F/A-18\nDC-10\nDC-10\n");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_fgvc_aircraft(options); }), HasSubstr("variants.txt:3"));
}

TEST(FgvcAircraft, TrainvalWhereTheSeparateListsAreNotThere) {
  const test::TempDir dir;
  write_aircraft(dir, "variant");
  std::filesystem::remove(dir.path() / "fgvc-aircraft-2013b/data/images_variant_val.txt");
  const PictureList list = list_fgvc_aircraft(rooted(dir.path().string()));
  EXPECT_EQ(list.train, 3);
  EXPECT_EQ(list.validation, 0);
  EXPECT_EQ(list.size(), 4);
}

}  // namespace
}  // namespace scorevi::data
