#include "zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/core/error.h"
#include "zip_writer.h"

namespace scorevi::io {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kNoLimit = 1 << 20;

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes;
  ZipWriter writer([&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); });
  for (const auto& [name, data] : entries) writer.add(name, data);
  writer.finish();
  return bytes;
}

std::string fault_of(const std::string& bytes) {
  try {
    const ZipArchive archive(memory_source(bytes), "m");
    for (const ZipEntry& entry : archive.entries()) archive.read(entry, kNoLimit);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ZipArchive, ReadsWhatTheWriterWrites) {
  const std::string bytes = zip_of({{"a/x", "hello"}, {"a/empty", ""}, {"b", std::string(1000, 'b')}});
  const ZipArchive archive(memory_source(bytes), "m");
  ASSERT_EQ(archive.entries().size(), 3u);
  EXPECT_EQ(archive.read(*archive.find("a/x"), kNoLimit), "hello");
  EXPECT_EQ(archive.read(*archive.find("a/empty"), kNoLimit), "");
  EXPECT_EQ(archive.read(*archive.find("b"), kNoLimit), std::string(1000, 'b'));
  EXPECT_EQ(archive.find("c"), nullptr);
  for (const ZipEntry& entry : archive.entries()) EXPECT_EQ(entry.data_begin % 64, 0u) << entry.name;
}

TEST(ZipArchive, ALimitOfTheCallerHolds) {
  const std::string bytes = zip_of({{"a", "hello"}});
  const ZipArchive archive(memory_source(bytes), "m");
  EXPECT_THROW(archive.open(archive.entries()[0], 4), Error);
  EXPECT_EQ(archive.open(archive.entries()[0], 5).size, 5u);
}

TEST(ZipArchive, EveryTruncationIsRefused) {
  const std::string bytes = zip_of({{"a/x", "hello"}, {"a/y", "world"}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(fault_of(bytes.substr(0, size)), "no error") << size;
}

TEST(ZipArchive, DamageIsFoundByTheCrc) {
  std::string bytes = zip_of({{"a/x", "hello"}});
  bytes[bytes.find("hello")] = 'j';
  EXPECT_THAT(fault_of(bytes), HasSubstr("m: zip archive: entry \"a/x\": CRC"));
}

TEST(ZipArchive, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../x", "a/../../x", "/x", "C:/x", "a\\x", "..", ""})
    EXPECT_THAT(fault_of(zip_of({{name, "x"}})), HasSubstr("the name")) << name;
  EXPECT_EQ(fault_of(zip_of({{"a/..x", "x"}})), "no error");
}

TEST(ZipArchive, ANameTwiceIsRefused) {
  EXPECT_THAT(fault_of(zip_of({{"a", "1"}, {"a", "2"}})), HasSubstr("entry \"a\" is there twice"));
}

// A second entry inside the data of the first one, with a header of its own.
TEST(ZipArchive, EntriesThatOverlapAreRefused) {
  const std::string alone = zip_of({{"c", "hello"}});
  const std::size_t data = ZipArchive(memory_source(alone), "m").entries()[0].data_begin;
  std::string bytes = zip_of({{"b", alone.substr(0, data + 5)}, {"c", "hello"}});
  const std::size_t central = bytes.rfind("PK\x01\x02");
  ASSERT_LT(data, 256u);
  bytes.replace(central + 42, 4, std::string(1, static_cast<char>(data)) + std::string(3, '\0'));
  EXPECT_THAT(fault_of(bytes), HasSubstr("entries \"b\" and \"c\" overlap"));
}

// More entries than the 16 bits of the plain end record can count.
TEST(ZipArchive, ManyEntriesNeedZip64) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (int i = 0; i < 70000; ++i) entries.emplace_back(std::to_string(i), "");
  const std::string bytes = zip_of(entries);
  const ZipArchive archive(memory_source(bytes), "m");
  EXPECT_EQ(archive.entries().size(), 70000u);
  EXPECT_NE(archive.find("69999"), nullptr);
}

}  // namespace
}  // namespace scorevi::io
