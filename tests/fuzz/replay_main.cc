/// Runs a fuzz target without libFuzzer: over all files of the folders given, each as it is, cut at many places, and
/// with single bytes changed. The same inputs every time. A finding ends the program, as it does under libFuzzer.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kCuts = 32;
constexpr int kChanges = 200;

void Run(const std::string& input) {
  // A copy of its exact size on the heap, so that a read beyond its end is seen.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
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

}  // namespace

int main(int argc, char** argv) {
  int seeds = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream stream(file, std::ios::binary);
      RunWithDamages(std::string(std::istreambuf_iterator<char>(stream), {}));
      ++seeds;
    }
  }
  std::printf("%d passed, 0 failed\n", seeds);
  return seeds > 0 ? 0 : 1;
}
