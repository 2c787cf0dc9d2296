#include "reelhouse/io/range_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/io/file_descriptor.h"

namespace reelhouse {
namespace {

std::string RandomBytes(size_t size_bytes) {
  std::mt19937 random(5);
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class RangeCopyTest : public testing::TestWithParam<CopyMeans> {};

TEST_P(RangeCopyTest, MovesExactlyTheRange) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  const std::string bytes = RandomBytes(700001);
  std::ofstream(folder.PathOf("source"), std::ios::binary) << bytes;
  std::ofstream(folder.PathOf("target"), std::ios::binary) << "head";
  FileDescriptor source = FileDescriptor::Open(folder.PathOf("source"), O_RDONLY);
  FileDescriptor target = FileDescriptor::Open(folder.PathOf("target"), O_RDWR);
  RangeCopy copy{source.number(), 3, target.number(), 4, 600000};
  EXPECT_EQ(CopyRange(copy, GetParam()), 0);
  EXPECT_EQ(copy.left_bytes, 0);
  EXPECT_EQ(copy.target_offset_bytes, 600004);
  EXPECT_EQ(ContentOf(folder.PathOf("target")), "head" + bytes.substr(3, 600000));
}

TEST_P(RangeCopyTest, SaysWhatIsLeftWhereTheSourceEnds) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  std::ofstream(folder.PathOf("source"), std::ios::binary) << "0123456789";
  FileDescriptor source = FileDescriptor::Open(folder.PathOf("source"), O_RDONLY);
  FileDescriptor target = FileDescriptor::Open(folder.PathOf("target"), O_RDWR | O_CREAT);
  RangeCopy copy{source.number(), 6, target.number(), 0, 100};
  EXPECT_EQ(CopyRange(copy, GetParam()), 0);
  EXPECT_EQ(copy.left_bytes, 96);
  EXPECT_EQ(ContentOf(folder.PathOf("target")), "6789");
}

TEST_P(RangeCopyTest, CrossesFileSystems) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no second file system";
  TemporaryFolder folder = *TemporaryFolder::Make();
  const std::string other = "/dev/shm/reelhouse-range-copy-" + std::to_string(getpid());
  const std::string bytes = RandomBytes(300000);
  std::ofstream(other, std::ios::binary) << bytes;
  FileDescriptor source = FileDescriptor::Open(other, O_RDONLY);
  FileDescriptor target = FileDescriptor::Open(folder.PathOf("target"), O_RDWR | O_CREAT);
  RangeCopy copy{source.number(), 0, target.number(), 0, 300000};
  EXPECT_EQ(CopyRange(copy, GetParam()), 0);
  EXPECT_EQ(ContentOf(folder.PathOf("target")), bytes);
  unlink(other.c_str());
}

TEST_P(RangeCopyTest, ReportsATargetThatCannotBeWritten) {
  TemporaryFolder folder = *TemporaryFolder::Make();
  std::ofstream(folder.PathOf("source"), std::ios::binary) << "0123456789";
  std::ofstream(folder.PathOf("target"), std::ios::binary) << "";
  FileDescriptor source = FileDescriptor::Open(folder.PathOf("source"), O_RDONLY);
  FileDescriptor target = FileDescriptor::Open(folder.PathOf("target"), O_RDONLY);
  RangeCopy copy{source.number(), 0, target.number(), 0, 10};
  EXPECT_EQ(CopyRange(copy, GetParam()), EBADF);
}

INSTANTIATE_TEST_SUITE_P(Means, RangeCopyTest,
                         testing::Values(CopyMeans::kCopyFileRange, CopyMeans::kSendfile, CopyMeans::kReadAndWrite));

}  // namespace
}  // namespace reelhouse
