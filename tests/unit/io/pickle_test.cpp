#include "pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

using ::testing::HasSubstr;
using std::string_literals::operator""s;

std::string fault_of(const std::string& bytes) {
  try {
    run_pickle(bytes, "m");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

PickleValue root_of(const std::string& bytes) { return run_pickle(bytes, "m").root; }

TEST(Pickle, NumbersOfEveryWidth) {
  EXPECT_EQ(root_of("\x80\x02K\xFF.").integer, 255);
  EXPECT_EQ(root_of("M\x01\x02."s).integer, 0x0201);
  EXPECT_EQ(root_of("J\xFE\xFF\xFF\xFF."s).integer, -2);
  EXPECT_EQ(root_of("\x8A\x00."s).integer, 0);
  EXPECT_EQ(root_of("\x8A\x01\x80."s).integer, -128);
  EXPECT_EQ(root_of("\x8A\x08\x00\x00\x00\x00\x00\x00\x00\x80."s).integer, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(root_of("\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."s).kind, PickleKind::kBigInt);
  EXPECT_EQ(root_of("I1099511627776\n.").integer, std::int64_t{1} << 40);
  EXPECT_EQ(root_of("I01\n.").kind, PickleKind::kBool);
  EXPECT_EQ(root_of("G\x3F\xF8\x00\x00\x00\x00\x00\x00."s).real, 1.5);
}

TEST(Pickle, TextOfEveryOpcode) {
  for (const std::string& bytes :
       {"\x8C\x02hi."s, "X\x02\0\0\0hi."s, "\x8D\x02\0\0\0\0\0\0\0hi."s, "U\x02hi."s, "T\x02\0\0\0hi."s}) {
    const PickleGraph graph = run_pickle(bytes, "m");
    EXPECT_EQ(graph.root.kind, PickleKind::kText);
    EXPECT_EQ(graph.text(graph.root), "hi");
    EXPECT_EQ(graph.end, bytes.size());
  }
  EXPECT_EQ(root_of("U\x01\xFF."s).kind, PickleKind::kBytes);
  EXPECT_THAT(fault_of("\x8C\x01\xFF."s), HasSubstr("byte 0: text that is not UTF-8"));
  EXPECT_THAT(fault_of("X\xFF\xFF\xFF\xFFhi."s), HasSubstr("ends after 3 more bytes, expected 4294967295"));
}

TEST(Pickle, ContainersHoldWhatIsPutIntoThem) {
  const PickleGraph graph = run_pickle(
      "}(K\x01](K\x02K\x03"
      "eK\x04K\x05K\x06\x86u."s,
      "m");
  ASSERT_EQ(graph.size(graph.root), 4u);
  const PickleValue& list = graph.item(graph.root, 1);
  ASSERT_EQ(list.kind, PickleKind::kList);
  EXPECT_EQ(graph.item(list, 1).integer, 3);
  const PickleValue& tuple = graph.item(graph.root, 3);
  ASSERT_EQ(tuple.kind, PickleKind::kTuple);
  EXPECT_EQ(graph.item(tuple, 0).integer, 5);
}

TEST(Pickle, TheMemoGivesTheSameContainer) {
  const PickleGraph graph = run_pickle(
      "]q\x07](h\x07"
      "h\x07K\x01"
      "e\x94"
      "0h\x07K\x09"
      "a00h\x01."s,
      "m");
  ASSERT_EQ(graph.root.kind, PickleKind::kList);
  EXPECT_EQ(graph.size(graph.root), 3u);
  EXPECT_EQ(graph.item(graph.root, 0).index, graph.item(graph.root, 1).index);
  EXPECT_EQ(graph.item(graph.item(graph.root, 0), 0).integer, 9);
}

TEST(Pickle, NothingBelowAMarkCanBeReached) {
  for (const std::string& bytes : {"K\x01(q\0"
                                   "1."s,
                                   "K\x01(2e."s, "](a."s, "](K\x01\x86."s, "}(K\x01s."s, "](K\x01(e."s})
    EXPECT_THAT(fault_of(bytes), HasSubstr("m: pickle, byte ")) << bytes;
  EXPECT_THAT(fault_of("K\x01K\x02."s), HasSubstr("left on the stack"));
}

TEST(Pickle, OnlyNamesOfTheTable) {
  EXPECT_THAT(fault_of("cos\nsystem\n."s), HasSubstr("\"os.system\" is not allowed"));
  EXPECT_THAT(fault_of("ctorch\nnn\n."s), HasSubstr("\"torch.nn\" is not allowed"));
  EXPECT_THAT(fault_of("\x8C\x05torch\x8C\x04save\x93."s), HasSubstr("\"torch.save\" is not allowed"));
  EXPECT_THAT(fault_of("(ios\nsystem\n."s), HasSubstr("\"os.system\" is not allowed"));
  EXPECT_THAT(fault_of("ctorch\nFloatStorage\n)R."s), HasSubstr("torch.FloatStorage cannot be called"));
  EXPECT_THAT(fault_of("ctorch.nn.modules.linear\nLinear\n."s), HasSubstr("save its state_dict()"));
  EXPECT_EQ(root_of("cargparse\nNamespace\n)\x81}(K\x01K\x02ub."s).kind, PickleKind::kOpaque);
}

TEST(Pickle, LimitsHold) {
  EXPECT_THAT(fault_of(std::string(2000, '(')), HasSubstr("nested deeper than 1000"));
  EXPECT_THAT(fault_of(std::string(5 << 20, 'N')), HasSubstr("more than 4194304 opcodes"));
  EXPECT_THAT(fault_of("c" + std::string(100000, 'x')), HasSubstr("a name that does not end"));
}

// A tensor of 2 x 2 in a storage of four floats.
std::string tensor(const std::string& offset, const std::string& size, const std::string& stride) {
  return "ctorch._utils\n_rebuild_tensor\n((\x8C\x07storagectorch\nFloatStorage\n\x8C\x01"
         "0\x8C\x03"
         "cpuK\x04tQ"s +
         offset + size + stride + "tR.";
}

TEST(Pickle, TensorsLieInsideTheirStorage) {
  const std::string two_by_two = "K\x02K\x02\x86"s;
  const PickleGraph graph = run_pickle(tensor("K\0"s, two_by_two, "K\x01K\x02\x86"s), "m");
  ASSERT_EQ(graph.tensors.size(), 1u);
  EXPECT_EQ(graph.item(graph.tensors[0].stride, 1).integer, 2);
  EXPECT_THAT(fault_of(tensor("K\x01"s, two_by_two, "K\x01K\x02\x86"s)), HasSubstr("beyond the 4 elements"));
  EXPECT_THAT(fault_of(tensor("K\0"s, two_by_two, "K\x01K\x03\x86"s)), HasSubstr("beyond the 4 elements"));
  EXPECT_EQ(fault_of(tensor("K\x03"s, "K\x01K\x01\x86"s, "K\xFFK\xFF\x86"s)), "no error");
  // No element is there: neither offset nor strides mean anything.
  EXPECT_EQ(fault_of(tensor("K\xFF"s, "K\0K\x09\x86"s, "K\x01K\x01\x86"s)), "no error");
}

}  // namespace
}  // namespace scorevi::io
