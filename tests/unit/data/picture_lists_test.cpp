#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_lines.h"
#include "picture_sources.h"
#include "picture_tree.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

using test::classes_of;
using test::files_of;
using test::message_of;
using test::rooted;
using test::touch;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ListLines, BlanksCommentsAndLineEnds) {
  const std::vector<ListLine> lines = parse_list("\xEF\xBB\xBF# head\r\n\n  a b \r\n\t\nlast", "l.txt");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "a b");
  EXPECT_EQ(lines[0].number, 3u);
  EXPECT_EQ(lines[1].text, "last");
  EXPECT_EQ(lines[1].number, 5u);
  EXPECT_TRUE(parse_list("", "l.txt").empty());
  EXPECT_THAT(message_of(ErrorKind::kData, [] { parse_list("a\nb\xFF", "l.txt"); }), HasSubstr("l.txt:2"));
}

TEST(ListLines, LabelledPaths) {
  struct Case {
    const char* text;
    const char* path;
    const char* label;
  };
  const std::vector<Case> cases = {
      {"a.jpg 3", "a.jpg", "3"},
      {"a.jpg\t3", "a.jpg", "3"},
      {"a.jpg,3", "a.jpg", "3"},
      {"a.jpg , 3", "a.jpg", "3"},
      {"my dir/a, b.JPG cat", "my dir/a, b.JPG", "cat"},
      {"a b.png,great dane", "a b.png", "great dane"},
      {"a.jpg b.png dog", "a.jpg b.png", "dog"},
      {"noextension 7", "noextension", "7"},
      {"two words 7", "two words", "7"},
      {"one,two words", "one", "two words"},
      {"a b,c\td", "a b,c", "d"},
      {"banded/banded_0002.jpg", "banded/banded_0002.jpg", "banded"},
      {"./banded/x/y.jpg", "./banded/x/y.jpg", "banded"},
      {"big cat/y.jpg", "big cat/y.jpg", "big cat"},
      {"banded/0002", "banded/0002", "banded"},
      {"/abs/a.jpg 1", "/abs/a.jpg", "1"},
  };
  for (const Case& c : cases) {
    const LabelledPath entry = labelled_path({c.text, 1}, "l");
    EXPECT_EQ(entry.path, c.path) << c.text;
    EXPECT_EQ(entry.label, c.label) << c.text;
  }
  for (const char* bad : {"a.jpg", "/abs/a.jpg", "../a.jpg", "alone", ",5", "a.jpg,"}) {
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { labelled_path({bad, 4}, "l.txt"); }), HasSubstr("l.txt:4")) << bad;
  }
}

TEST(ListLines, Pets) {
  const PetLine pet = pet_line({"american_bulldog_131 2  2\t1", 1}, "l");
  EXPECT_EQ(pet.id, "american_bulldog_131");
  EXPECT_EQ(pet.class_name, "american_bulldog");
  EXPECT_EQ(pet.class_id, 2);
  for (const char* bad : {"", "a_1", "a_1 1 1", "a_1 1 1 1 1", "a_1 x 1 1", "a_1 -1 1 1", "a 1 1 1", "a_b 1 1 1",
                          "_1 1 1 1", "a_1 99999999999999999999 1 1"}) {
    EXPECT_THAT(message_of(ErrorKind::kData, [&] { pet_line({bad, 2}, "l.txt"); }), HasSubstr("l.txt:2")) << bad;
  }
}

TEST(ListLines, Aircraft) {
  EXPECT_EQ(aircraft_line({"1025794 F/A-18", 1}, "l").class_name, "F/A-18");
  EXPECT_EQ(aircraft_line({"1025794  Boeing 717", 1}, "l").class_name, "Boeing 717");
  EXPECT_EQ(aircraft_line({"0056978 DH-82", 1}, "l").id, "0056978");
  EXPECT_THAT(message_of(ErrorKind::kData, [] { aircraft_line({"1025794", 3}, "l.txt"); }), HasSubstr("l.txt:3"));
}

TEST(ImageList, NumbersInTheirOrder) {
  const test::TempDir dir;
  touch(dir, {"x/a 1.jpg", "x/b.jpg", "x/c.jpg", "x/d.jpg"});
  dir.write("train.txt", "x/a 1.jpg 10\nx/b.jpg 9\n");
  dir.write("val.txt", "x/c.jpg,10\n");
  dir.write("lists/test.txt", "x/d.jpg\t101\r\n");
  DataOptions options = rooted(dir.path().string());
  options.list_train = "train.txt";
  EXPECT_EQ(list_image_list(options).train, -1);
  options.list_validation = "val.txt";
  options.list_test = dir.file("lists/test.txt");
  const PictureList list = list_image_list(options);
  EXPECT_THAT(list.class_names, ElementsAre("9", "10", "101"));
  EXPECT_THAT(list.labels, ElementsAre(1, 0, 1, 2));
  EXPECT_EQ(list.train, 2);
  EXPECT_EQ(list.validation, 1);
  EXPECT_THAT(files_of(list, options.root), ElementsAre("x/a 1.jpg", "x/b.jpg", "x/c.jpg", "x/d.jpg"));
}

TEST(ImageList, NamesAndMixedLabelsInTheOrderOfBytes) {
  const test::TempDir dir;
  touch(dir, {"a.jpg", "b.jpg", "c.jpg"});
  dir.write("l.txt", "a.jpg 10\nb.jpg 9\nc.jpg 09\n");
  DataOptions options = rooted(dir.path().string());
  options.list_train = "l.txt";
  EXPECT_THAT(list_image_list(options).class_names, ElementsAre("09", "10", "9"));
}

TEST(ImageList, MissingPicturesAreCountedAndNamed) {
  const test::TempDir dir;
  touch(dir, {"1.jpg"});
  dir.write("dir.jpg/x", "");
  dir.write("l.txt", "1.jpg a\ndir.jpg a\n2.jpg a\n3.jpg a\n4.jpg a\n5.jpg a\n6.jpg a\n");
  DataOptions options = rooted(dir.path().string());
  options.list_train = "l.txt";
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_list(options); }),
              AllOf(HasSubstr("6 of 7 listed pictures are missing"), HasSubstr("dir.jpg"), HasSubstr("5.jpg, ..."),
                    ::testing::Not(HasSubstr("6.jpg"))));
}

TEST(ImageList, OnePictureInTwoPartsIsRefused) {
  const test::TempDir dir;
  touch(dir, {"a.jpg", "b.jpg"});
  dir.write("train.txt", "a.jpg 0\nb.jpg 1\nb.jpg 1\n");
  dir.write("test.txt", "./b.jpg 1\n");
  DataOptions options = rooted(dir.path().string());
  options.list_train = "train.txt";
  EXPECT_EQ(list_image_list(options).size(), 3);  // twice in one part is a matter of weights
  options.list_test = "test.txt";
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_list(options); }),
              AllOf(HasSubstr("1 pictures are in more than one"), HasSubstr("b.jpg")));
}

TEST(ImageList, MistakesAreNamed) {
  const test::TempDir dir;
  DataOptions options;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_image_list(options); }), HasSubstr("data.root"));
  options.root = dir.path().string();
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { list_image_list(options); }), HasSubstr("data.list_train"));
  options.list_train = "none.txt";
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_list(options); }), HasSubstr("none.txt"));
  dir.write("none.txt", "# nothing\n");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { list_image_list(options); }), HasSubstr("lists no pictures"));
}

}  // namespace
}  // namespace scorevi::data
