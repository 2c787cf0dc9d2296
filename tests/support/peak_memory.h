#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace reelhouse {

/// By how many bytes the address space of a process grew at most while it ran `work`: memory that was asked for counts
/// whether it was touched or not. Runs in a child, so that nothing before it counts. -1 where the child did not end
/// well.
inline int64_t MemoryTakenBy(const std::function<void()>& work) {
  const auto of_status = [](const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    int64_t kib = 0;
    while (status >> word) {
      if (word == key && status >> kib) return kib * 1024;
    }
    return int64_t{-1};
  };
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const int64_t before = of_status("VmSize:");
    work();
    const int64_t grown = of_status("VmPeak:") - before;
    const bool is_told = write(ends[1], &grown, sizeof(grown)) == sizeof(grown);
    _exit(is_told ? 0 : 1);
  }
  close(ends[1]);
  int64_t grown = -1;
  if (read(ends[0], &grown, sizeof(grown)) != sizeof(grown)) grown = -1;
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? grown : -1;
}

}  // namespace reelhouse
