#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reelhouse/base/temporary_folder.h"
#include "reelhouse/io/file_store.h"

namespace reelhouse {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

void WriteTestFile(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

// Files of this process cannot grow beyond a size, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = size_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

class LocalFileStoreTest : public testing::TestWithParam<bool> {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::Make();
  std::shared_ptr<FileStore> store_ = MakeLocalFileStore({.fsync = GetParam()});

  std::string PathOf(std::string_view name) const { return folder_.PathOf(name); }

  void MakeFile(const std::string& path, std::string_view content) {
    std::unique_ptr<OutputFile> file = *store_->Create(path);
    ASSERT_TRUE(file->Write(content.data(), static_cast<int64_t>(content.size())).ok());
    ASSERT_TRUE(file->Finish().ok());
  }
};

INSTANTIATE_TEST_SUITE_P(Fsync, LocalFileStoreTest, testing::Bool());

// Reading

TEST_P(LocalFileStoreTest, ReadsRanges) {
  WriteTestFile(PathOf("a"), "0123456789");
  auto file = *store_->OpenInput(PathOf("a"));
  EXPECT_EQ(*file->GetSize(), 10);
  EXPECT_EQ((*file->ReadAt(3, 4))->ToString(), "3456");
  EXPECT_EQ((*file->ReadAt(8, 100))->ToString(), "89");
  EXPECT_EQ((*file->ReadAt(100, 5))->size(), 0);
  EXPECT_EQ((*file->Read(2))->ToString(), "01");
  EXPECT_EQ((*file->Read(2))->ToString(), "23");
  ASSERT_TRUE(file->Seek(9).ok());
  char byte = 0;
  EXPECT_EQ(*file->Read(1, &byte), 1);
  EXPECT_EQ(byte, '9');
  EXPECT_EQ(*file->Tell(), 10);
  EXPECT_TRUE(file->ReadAt(-1, 5).status().IsInvalid());
  EXPECT_TRUE(file->ReadAt(0, -5).status().IsInvalid());
  EXPECT_TRUE(file->Seek(-1).IsInvalid());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_TRUE(file->closed());
  EXPECT_TRUE(file->ReadAt(0, 1).status().IsInvalid());
}

TEST_P(LocalFileStoreTest, AllocatesNoMoreThanTheFileHas) {
  WriteTestFile(PathOf("a"), "0123456789");
  auto file = *store_->OpenInput(PathOf("a"));
  EXPECT_EQ((*file->ReadAt(0, int64_t{1} << 60))->size(), 10);
}

TEST_P(LocalFileStoreTest, ReadsFromSeveralThreadsAtOnce) {
  std::string content(100000, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i % 251);
  WriteTestFile(PathOf("a"), content);
  auto file = *store_->OpenInput(PathOf("a"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 500; ++i) {
        const int64_t at = random() % 90000;
        std::string got(1000, '\0');
        EXPECT_EQ(*file->ReadAt(at, 1000, got.data()), 1000);
        EXPECT_EQ(got, content.substr(at, 1000));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(LocalFileStoreTest, NamesWhatCannotBeRead) {
  Status missing = store_->OpenInput(PathOf("missing")).status();
  EXPECT_TRUE(IsKind(missing, ErrorKind::kFileNotFound));
  EXPECT_EQ(missing.message(), PathOf("missing") + ": No such file or directory");
  EXPECT_EQ(DetailOf(missing)->fields().path, PathOf("missing"));
  EXPECT_TRUE(IsKind(store_->ReadAll(PathOf("missing")).status(), ErrorKind::kFileNotFound));

  Status folder = store_->OpenInput(folder_.path()).status();
  EXPECT_TRUE(folder.IsIOError());
  EXPECT_THAT(folder.message(), HasSubstr("Is a directory"));
  EXPECT_EQ(arrow::internal::ErrnoFromStatus(folder), EISDIR);

  ASSERT_EQ(mkfifo(PathOf("pipe").c_str(), 0600), 0);
  EXPECT_THAT(store_->OpenInput(PathOf("pipe")).status().message(), HasSubstr("expected a regular file"));
  EXPECT_FALSE(store_->ReadAll("/dev/zero").ok());
}

TEST_P(LocalFileStoreTest, ReadsWholeFiles) {
  const std::string content("a\0b", 3);
  WriteTestFile(PathOf("a"), content);
  EXPECT_EQ(*store_->ReadAll(PathOf("a")), content);
  EXPECT_EQ(*store_->ReadAll("file:" + PathOf("a")), content);
  EXPECT_EQ(*store_->ReadAll("file://" + PathOf("a")), content);
  WriteTestFile(PathOf("empty"), "");
  EXPECT_EQ(*store_->ReadAll(PathOf("empty")), "");
}

TEST_P(LocalFileStoreTest, TakesNamesWithAnyByte) {
  for (const char* name : {"100%.mp4", "%2e%2e", "a b\n", "\xff\xfe", "ä", "-x", "a:b", "'\"`$*?"}) {
    MakeFile(PathOf(name), name);
    EXPECT_EQ(*store_->ReadAll(PathOf(name)), name);
    EXPECT_EQ((*store_->Stat(PathOf(name)))->name, name);
    EXPECT_TRUE(fs::exists(PathOf(name)));
  }
}

// Writing

TEST_P(LocalFileStoreTest, WritesANewFileWithItsFolders) {
  const std::string path = PathOf("x/y/z/file");
  std::unique_ptr<OutputFile> file = *store_->Create(path);
  EXPECT_EQ(file->path(), path);
  std::string expected;
  for (int i = 0; i < 40000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    ASSERT_TRUE(file->Write(line.data(), static_cast<int64_t>(line.size())).ok());
    expected += line;
  }
  const std::string large(300000, 'x');
  ASSERT_TRUE(file->Write(large.data(), static_cast<int64_t>(large.size())).ok());
  ASSERT_TRUE(file->Write(arrow::Buffer::FromString("tail")).ok());
  expected += large + "tail";
  EXPECT_EQ(*file->Tell(), static_cast<int64_t>(expected.size()));
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_TRUE(file->closed());
  file.reset();
  EXPECT_EQ(*store_->ReadAll(path), expected);
}

TEST_P(LocalFileStoreTest, RefusesToCreateWhatExists) {
  WriteTestFile(PathOf("a"), "old");
  Status status = store_->Create(PathOf("a")).status();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_THAT(status.message(), HasSubstr("File exists"));
  EXPECT_EQ(*store_->ReadAll(PathOf("a")), "old");
  EXPECT_THAT(store_->Create(PathOf("a/b")).status().message(), HasSubstr("Not a directory"));
}

TEST_P(LocalFileStoreTest, LeavesNothingOfAnUnfinishedFile) {
  {
    std::unique_ptr<OutputFile> file = *store_->Create(PathOf("dropped"));
    ASSERT_TRUE(file->Write("abc", 3).ok());
    ASSERT_TRUE(file->Flush().ok());
    EXPECT_EQ(*store_->ReadAll(PathOf("dropped")), "abc");
  }
  std::unique_ptr<OutputFile> file = *store_->Create(PathOf("discarded"));
  ASSERT_TRUE(file->Discard().ok());
  ASSERT_TRUE(file->Discard().ok());
  EXPECT_TRUE(file->Finish().IsInvalid());
  EXPECT_TRUE(file->Write("x", 1).IsInvalid());
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{});
}

TEST_P(LocalFileStoreTest, OverwritesEarlierBytes) {
  for (const int64_t filler : {10, 65530, 65536, 70000, 200000}) {
    const std::string path = PathOf(std::to_string(filler));
    std::unique_ptr<OutputFile> file = *store_->Create(path);
    std::string expected(filler, '.');
    ASSERT_TRUE(file->Write(expected.data(), filler / 2).ok());
    ASSERT_TRUE(file->Write(expected.data() + filler / 2, filler - filler / 2).ok());
    ASSERT_TRUE(file->Write("12345678", 8).ok());
    expected += "12345678";
    for (const int64_t at : {int64_t{0}, filler / 2, filler - 4, filler + 4}) {
      ASSERT_TRUE(file->WriteAt(at, "HEAD", 4).ok());
      expected.replace(at, 4, "HEAD");
    }
    EXPECT_EQ(*file->Tell(), filler + 8);
    EXPECT_TRUE(file->WriteAt(filler + 5, "HEAD", 4).IsInvalid());
    EXPECT_TRUE(file->WriteAt(-1, "HEAD", 4).IsInvalid());
    ASSERT_TRUE(file->Write("end", 3).ok());
    ASSERT_TRUE(file->Finish().ok());
    EXPECT_EQ(*store_->ReadAll(path), expected + "end");
  }
}

TEST_P(LocalFileStoreTest, AppendsRangesOfOtherFiles) {
  std::string source(500000, '\0');
  std::mt19937 random(3);
  for (char& byte : source) byte = static_cast<char>(random());
  WriteTestFile(PathOf("source"), source);
  std::unique_ptr<OutputFile> file = *store_->Create(PathOf("target"));
  ASSERT_TRUE(file->Write("head", 4).ok());
  ASSERT_TRUE(file->AppendRange(PathOf("source"), 10, 400000).ok());
  ASSERT_TRUE(file->AppendRange("file:" + PathOf("source"), 0, 0).ok());
  ASSERT_TRUE(file->Write("mid", 3).ok());
  ASSERT_TRUE(file->AppendRange("file:" + PathOf("source"), 499990, 10).ok());
  EXPECT_EQ(*file->Tell(), 4 + 400000 + 3 + 10);
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_EQ(*store_->ReadAll(PathOf("target")), "head" + source.substr(10, 400000) + "mid" + source.substr(499990));
}

TEST_P(LocalFileStoreTest, RefusesRangesThatTheSourceDoesNotHave) {
  WriteTestFile(PathOf("source"), "0123456789");
  std::unique_ptr<OutputFile> file = *store_->Create(PathOf("target"));
  Status status = file->AppendRange(PathOf("source"), 4, 10);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_THAT(status.message(), HasSubstr(PathOf("source") + ": expected 10 bytes, found 6"));
  EXPECT_THAT(file->AppendRange(PathOf("source"), 40, 10).message(), HasSubstr("expected 10 bytes, found 0"));
  EXPECT_TRUE(file->AppendRange(PathOf("source"), -1, 1).IsInvalid());
  EXPECT_TRUE(IsKind(file->AppendRange(PathOf("missing"), 0, 1), ErrorKind::kFileNotFound));
  EXPECT_FALSE(file->AppendRange(folder_.path(), 0, 1).ok());
  // Nothing was written, so the file can go on.
  ASSERT_TRUE(file->AppendRange(PathOf("source"), 4, 6).ok());
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_EQ(*store_->ReadAll(PathOf("target")), "456789");
}

TEST_P(LocalFileStoreTest, NoticesASourceThatChangesWhileItIsCopied) {
  WriteTestFile(PathOf("source"), std::string(1 << 20, 'a'));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    FILE* file = fopen(PathOf("source").c_str(), "r+");
    while (!stop) {
      fseek(file, 0, SEEK_SET);
      fputc('b', file);
      fflush(file);
    }
    fclose(file);
  });
  // Time stamps have a grain of some milliseconds, so that one copy may get through between two of them.
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    std::unique_ptr<OutputFile> file = *store_->Create(PathOf("target" + std::to_string(i)));
    status = file->AppendRange(PathOf("source"), 0, 1 << 20);
  }
  stop = true;
  writer.join();
  EXPECT_THAT(status.message(), HasSubstr("it was written to while it was copied"));
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{"source"});
}

TEST_P(LocalFileStoreTest, AFailedWriteSticksAndLeavesNothing) {
  std::unique_ptr<OutputFile> file = *store_->Create(PathOf("a"));
  Status status;
  {
    FileSizeLimit full(1 << 20);
    const std::string chunk(100000, 'x');
    for (int i = 0; i < 30 && status.ok(); ++i) status = file->Write(chunk.data(), static_cast<int64_t>(chunk.size()));
  }
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(status.message(), PathOf("a") + ": write: File too large");
  EXPECT_EQ(arrow::internal::ErrnoFromStatus(status), EFBIG);
  EXPECT_EQ(file->Write("x", 1).message(), status.message());
  EXPECT_EQ(file->Finish().message(), status.message());
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{});
}

TEST_P(LocalFileStoreTest, AFailedCopyLeavesNothing) {
  WriteTestFile(PathOf("source"), std::string(3 << 20, 'x'));
  {
    FileSizeLimit full(1 << 20);
    std::unique_ptr<OutputFile> file = *store_->Create(PathOf("a"));
    Status status = file->AppendRange(PathOf("source"), 0, 3 << 20);
    EXPECT_THAT(status.message(), HasSubstr("File too large"));
    EXPECT_FALSE(file->Finish().ok());
  }
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{"source"});
}

// Atomic creation

TEST_P(LocalFileStoreTest, CreatesOnlyFreeNames) {
  EXPECT_TRUE(*store_->CreateNoReplace(PathOf("s/snapshot-1"), "one"));
  EXPECT_FALSE(*store_->CreateNoReplace(PathOf("s/snapshot-1"), "two"));
  EXPECT_EQ(*store_->ReadAll(PathOf("s/snapshot-1")), "one");
  EXPECT_FALSE(*store_->CreateNoReplace(PathOf("s"), "a folder has the name"));
  EXPECT_EQ(NamesIn(PathOf("s")), std::set<std::string>{"snapshot-1"});
  EXPECT_TRUE(*store_->CreateNoReplace(PathOf("s/empty"), ""));
  EXPECT_EQ(*store_->ReadAll(PathOf("s/empty")), "");
}

TEST_P(LocalFileStoreTest, ADanglingSymlinkHasItsName) {
  fs::create_symlink(PathOf("nowhere"), PathOf("link"));
  EXPECT_FALSE(*store_->CreateNoReplace(PathOf("link"), "x"));
  EXPECT_FALSE(store_->Create(PathOf("link")).ok());
  EXPECT_FALSE(fs::exists(PathOf("nowhere")));
}

TEST_P(LocalFileStoreTest, TakesTheLongestNames) {
  const std::string name(255, 'n');
  EXPECT_TRUE(*store_->CreateNoReplace(PathOf(name), "x"));
  EXPECT_TRUE(store_->Replace(PathOf(name), "y").ok());
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{name});
  EXPECT_FALSE(store_->CreateNoReplace(PathOf(name + "n"), "x").ok());
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{name});
}

TEST_P(LocalFileStoreTest, OneOfManyRacersWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string path = PathOf("snapshot-" + std::to_string(round));
    std::atomic<int> winners{0};
    std::atomic<int> winner{-1};
    std::vector<std::thread> racers;
    for (int t = 0; t < 6; ++t) {
      racers.emplace_back([&, t] {
        Result<bool> made = store_->CreateNoReplace(path, std::string(1000, static_cast<char>('a' + t)));
        ASSERT_TRUE(made.ok()) << made.status();
        if (*made) {
          ++winners;
          winner = t;
        }
      });
    }
    for (std::thread& racer : racers) racer.join();
    ASSERT_EQ(winners, 1);
    EXPECT_EQ(*store_->ReadAll(path), std::string(1000, static_cast<char>('a' + winner)));
  }
  EXPECT_EQ(NamesIn(folder_.path()).size(), 20u);
}

TEST_P(LocalFileStoreTest, AFullDiskLeavesNoTemporaryFile) {
  WriteTestFile(PathOf("LATEST"), "1");
  FileSizeLimit full(1000);
  const std::string content(100000, 'x');
  EXPECT_THAT(store_->CreateNoReplace(PathOf("snapshot-1"), content).status().message(), HasSubstr("File too large"));
  EXPECT_THAT(store_->Replace(PathOf("LATEST"), content).message(), HasSubstr("File too large"));
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{"LATEST"});
  EXPECT_EQ(*store_->ReadAll(PathOf("LATEST")), "1");
}

TEST_P(LocalFileStoreTest, ReplacesWholeFiles) {
  EXPECT_TRUE(store_->Replace(PathOf("s/LATEST"), "1").ok());
  EXPECT_TRUE(store_->Replace(PathOf("s/LATEST"), "2").ok());
  EXPECT_EQ(*store_->ReadAll(PathOf("s/LATEST")), "2");
  fs::create_directory(PathOf("s/folder"));
  EXPECT_FALSE(store_->Replace(PathOf("s/folder"), "x").ok());
  EXPECT_FALSE(store_->Replace(PathOf("s/"), "x").ok());
  EXPECT_EQ(NamesIn(PathOf("s")), (std::set<std::string>{"LATEST", "folder"}));
}

// Names

TEST_P(LocalFileStoreTest, RenamesFilesAndFoldersToFreeNames) {
  MakeFile(PathOf("a/file"), "x");
  MakeFile(PathOf("b/file"), "y");
  EXPECT_FALSE(*store_->RenameNoReplace(PathOf("a"), PathOf("b")));
  EXPECT_FALSE(*store_->RenameNoReplace(PathOf("a/file"), PathOf("b/file")));
  fs::create_directory(PathOf("empty"));
  EXPECT_FALSE(*store_->RenameNoReplace(PathOf("a"), PathOf("empty")));
  EXPECT_TRUE(*store_->RenameNoReplace(PathOf("a/"), PathOf("c")));
  EXPECT_EQ(*store_->ReadAll(PathOf("c/file")), "x");
  EXPECT_TRUE(*store_->RenameNoReplace(PathOf("c/file"), PathOf("b/other")));
  EXPECT_EQ(*store_->ReadAll(PathOf("b/other")), "x");
  EXPECT_TRUE(IsKind(store_->RenameNoReplace(PathOf("missing"), PathOf("d")).status(), ErrorKind::kFileNotFound));
  EXPECT_THAT(store_->RenameNoReplace(PathOf("b"), PathOf("b/below")).status().message(),
              HasSubstr("Invalid argument"));
}

TEST_P(LocalFileStoreTest, ListsFolders) {
  MakeFile(PathOf("wh/file"), "12345");
  MakeFile(PathOf("wh/folder/inner"), "");
  fs::create_symlink(PathOf("nowhere"), PathOf("wh/dangling"));
  fs::create_directory_symlink(PathOf("wh/folder"), PathOf("wh/link"));
  std::vector<FileEntry> entries = *store_->List(PathOf("wh"));
  std::set<std::string> shown;
  for (const FileEntry& entry : entries) shown.insert(entry.name + (entry.is_directory ? "/" : ""));
  EXPECT_EQ(shown, (std::set<std::string>{"file", "folder/", "dangling", "link/"}));
  for (const FileEntry& entry : entries) {
    if (entry.name == "file") {
      EXPECT_EQ(entry.size_bytes, 5);
    }
  }
  EXPECT_TRUE(store_->List(PathOf("missing"))->empty());
  EXPECT_TRUE(store_->List(PathOf("wh/file")).status().IsIOError());
}

TEST_P(LocalFileStoreTest, DescribesFilesAndFolders) {
  MakeFile(PathOf("a"), "123");
  std::optional<FileEntry> entry = *store_->Stat("file:" + PathOf("a"));
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->name, "a");
  EXPECT_EQ(entry->size_bytes, 3);
  EXPECT_FALSE(entry->is_directory);
  EXPECT_GT(entry->modified_millis, int64_t{1500000000000});
  EXPECT_TRUE((*store_->Stat(folder_.path() + "/"))->is_directory);
  EXPECT_EQ(*store_->Stat(PathOf("missing")), std::nullopt);
  EXPECT_EQ(*store_->Stat(PathOf("a/below")), std::nullopt);
}

TEST_P(LocalFileStoreTest, RemovesFilesAndTrees) {
  MakeFile(PathOf("wh/a/b"), "x");
  EXPECT_TRUE(store_->Delete(PathOf("wh/a/b")).ok());
  EXPECT_TRUE(store_->Delete(PathOf("wh/a/b")).ok());
  EXPECT_FALSE(store_->Delete(PathOf("wh/a")).ok());

  MakeFile(PathOf("outside/kept"), "x");
  fs::create_directory_symlink(PathOf("outside"), PathOf("wh/a/link"));
  MakeFile(PathOf("wh/a/c/d"), "x");
  EXPECT_TRUE(store_->DeleteTree(PathOf("wh/")).ok());
  EXPECT_TRUE(store_->DeleteTree(PathOf("wh")).ok());
  EXPECT_EQ(NamesIn(folder_.path()), std::set<std::string>{"outside"});
  EXPECT_EQ(*store_->ReadAll(PathOf("outside/kept")), "x");
  EXPECT_TRUE(store_->DeleteTree("/").IsInvalid());
}

TEST_P(LocalFileStoreTest, MakesAndSyncsFolders) {
  EXPECT_TRUE(store_->MakeDirectories(PathOf("a//b/c/")).ok());
  EXPECT_TRUE(store_->MakeDirectories(PathOf("a/b/c")).ok());
  EXPECT_TRUE(fs::is_directory(PathOf("a/b/c")));
  MakeFile(PathOf("file"), "");
  EXPECT_THAT(store_->MakeDirectories(PathOf("file")).message(), HasSubstr("expected a folder"));
  EXPECT_FALSE(store_->MakeDirectories(PathOf("file/below")).ok());
  EXPECT_TRUE(store_->SyncDirectory(PathOf("a")).ok());
  EXPECT_EQ(store_->SyncDirectory(PathOf("missing")).ok(), !GetParam());
}

TEST_P(LocalFileStoreTest, MakesFoldersFromManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      Result<std::unique_ptr<OutputFile>> file = store_->Create(PathOf("p/q/r/s/" + std::to_string(t)));
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_TRUE((*file)->Finish().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(NamesIn(PathOf("p/q/r/s")).size(), 6u);
}

TEST_P(LocalFileStoreTest, RefusesOtherSchemesEverywhere) {
  EXPECT_TRUE(store_->OpenInput("s3://b/x").status().IsNotImplemented());
  EXPECT_TRUE(store_->Create("s3://b/x").status().IsNotImplemented());
  EXPECT_TRUE(store_->CreateNoReplace("hdfs://b/x", "").status().IsNotImplemented());
  EXPECT_TRUE(store_->List("").status().IsInvalid());
}

}  // namespace
}  // namespace reelhouse
