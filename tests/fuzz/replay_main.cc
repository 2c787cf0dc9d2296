/// Runs a fuzz target without libFuzzer, with any compiler:
///
///     X_replay [--seconds N] [--findings FOLDER] SEED-FOLDER...
///
/// First every file of the folders as it is, cut at many places and with single bytes changed, the same every time;
/// then, for N seconds, random damages and crossings of them, another series every time. A finding ends the program, as
/// it does under libFuzzer; its input is written to the folder of findings.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr int kCuts = 32;
constexpr int kChanges = 200;
constexpr size_t kLongestInput = 1 << 16;

std::vector<uint8_t> running_input;
char finding_path[4096] = "finding";
long runs = 0;

// Called in a dying process: nothing but system calls.
void KeepInput() {
  const int file = ::open(finding_path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return;
  size_t done = 0;
  while (done < running_input.size()) {
    const ssize_t count = ::write(file, running_input.data() + done, running_input.size() - done);
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  ::close(file);
}

void KeepInputAndDie(int number) {
  KeepInput();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void Run(const std::string& input) {
  // A copy of its exact size on the heap, so that a read beyond its end is seen.
  running_input = std::vector<uint8_t>(input.begin(), input.end());
  running_input.shrink_to_fit();
  ::alarm(60);
  LLVMFuzzerTestOneInput(running_input.data(), running_input.size());
  ::alarm(0);
  ++runs;
}

void RunWithDamages(const std::string& seed) {
  Run(seed);
  for (int i = 0; i < kCuts; ++i) Run(seed.substr(0, seed.size() * i / kCuts));
  std::mt19937 random(20260101);
  for (int i = 0; i < kChanges && !seed.empty(); ++i) {
    std::string changed = seed;
    changed[random() % changed.size()] = static_cast<char>(random());
    if (i % 2 == 1) changed[random() % changed.size()] ^= static_cast<char>(1 << (random() % 8));
    Run(changed);
  }
}

/// A source of damaged inputs.
class Damages {
 public:
  Damages(const std::vector<std::string>& seeds, uint32_t number) : seeds_(seeds), random_(number) {}

  std::string Next() {
    std::string input = seeds_[Below(seeds_.size())];
    for (size_t steps = 1 + Below(4); steps > 0; --steps) Damage(input);
    return input;
  }

 private:
  size_t Below(size_t end) { return end == 0 ? 0 : random_() % end; }

  void Damage(std::string& input) {
    static constexpr uint64_t kNumbers[] = {0,          1,          0x7f,       0x80,       0xff,
                                            0x7fff,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                            1ULL << 40, 1ULL << 62, 1ULL << 63, ~0ULL};
    const size_t at = Below(input.size());
    switch (Below(8)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(random_());
        return;
      case 1:
        if (!input.empty()) input[at] ^= static_cast<char>(1 << Below(8));
        return;
      case 2:
        input.resize(Below(input.size() + 1));
        return;
      case 3: {
        // An interesting number of 1, 2, 4 or 8 bytes, either way round.
        uint64_t number = kNumbers[Below(std::size(kNumbers))];
        if (Below(2) == 0) number = __builtin_bswap64(number);
        const size_t size = size_t{1} << Below(4);
        const char* bytes = reinterpret_cast<const char*>(&number) + (Below(2) == 0 ? 0 : 8 - size);
        if (at + size <= input.size()) std::memcpy(input.data() + at, bytes, size);
        return;
      }
      case 4:
        input.erase(at, Below(32));
        return;
      case 5:
        input.insert(at, input.substr(Below(input.size()), Below(64)));
        break;
      case 6: {
        const std::string& other = seeds_[Below(seeds_.size())];
        input = input.substr(0, at) + other.substr(Below(other.size()));
        break;
      }
      default: {
        const std::string& other = seeds_[Below(seeds_.size())];
        const std::string piece = other.substr(Below(other.size()), 1 + Below(16));
        input.replace(at, std::min(piece.size(), input.size() - at), piece);
        break;
      }
    }
    if (input.size() > kLongestInput) input.resize(kLongestInput);
  }

  const std::vector<std::string>& seeds_;
  std::mt19937 random_;
};

std::vector<std::string> ContentsOf(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> contents;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return contents;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0;
  std::vector<std::string> seeds;
  const std::string name = std::filesystem::path(argv[0]).filename();
  std::snprintf(finding_path, sizeof(finding_path), "%s-finding", name.c_str());
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--findings") == 0 && i + 1 < argc) {
      std::filesystem::create_directories(argv[++i]);
      std::snprintf(finding_path, sizeof(finding_path), "%s/%s-finding", argv[i], name.c_str());
    } else {
      for (std::string& content : ContentsOf(argv[i])) seeds.push_back(std::move(content));
    }
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(KeepInput);
  std::signal(SIGABRT, KeepInputAndDie);
  std::signal(SIGALRM, KeepInputAndDie);
  for (const std::string& seed : seeds) seconds > 0 ? Run(seed) : RunWithDamages(seed);
  const auto number = static_cast<uint32_t>(std::random_device()());
  Damages damages(seeds, number);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!seeds.empty() && std::chrono::steady_clock::now() < end) Run(damages.Next());
  std::printf("%s: %zu seeds, %ld runs, series %u\n", name.c_str(), seeds.size(), runs, number);
  std::printf("%zu passed, 0 failed\n", seeds.size());
  return seeds.empty() ? 1 : 0;
}
