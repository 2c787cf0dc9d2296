#include "reelhouse/base/uuid.h"

#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelhouse {
namespace {

TEST(Uuid, IsAVersion4Text) {
  const std::string uuid = NewUuid();
  ASSERT_EQ(uuid.size(), 36u);
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      EXPECT_EQ(uuid[i], '-');
    } else {
      EXPECT_NE(std::string("0123456789abcdef").find(uuid[i]), std::string::npos);
    }
  }
  EXPECT_EQ(uuid[14], '4');
  EXPECT_THAT(uuid[19], testing::AnyOf('8', '9', 'a', 'b'));
}

TEST(Uuid, DoesNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(NewUuid());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Uuid, DiffersBetweenParentAndForkedChild) {
  NewUuid();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string uuid = NewUuid();
    ssize_t written = write(ends[1], uuid.data(), uuid.size());
    _exit(written == 36 ? 0 : 1);
  }
  const std::string ours = NewUuid();
  char theirs[36];
  ASSERT_EQ(read(ends[0], theirs, sizeof(theirs)), 36);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_NE(ours, std::string(theirs, sizeof(theirs)));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace reelhouse
