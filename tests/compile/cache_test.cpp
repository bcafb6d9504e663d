#include "evaluators/compile/cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "tests/compile/cache_support.hpp"

namespace evo::evaluators::compile {
namespace {

std::vector<fs::path> files_below(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

/// Runs `body` in a child process; its exit code.
int in_child(const std::function<void()>& body, const std::function<void(pid_t)>& meanwhile = {}) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  if (meanwhile) meanwhile(pid);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Cache, EveryFieldOfARequestIsPartOfItsKey) {
  const CompileRequest base{"source", "a.cu", "k", "sm_89", {{"a.h", "A"}}, {"--fmad=false"}, 60, 4096};
  std::set<std::string> keys{ArtifactCache::key_of(base, "NVRTC 13.0")};
  const auto add = [&](const std::function<void(CompileRequest&)>& change) {
    CompileRequest other = base;
    change(other);
    keys.insert(ArtifactCache::key_of(other, "NVRTC 13.0"));
  };
  add([](auto& r) { r.source += " "; });
  add([](auto& r) { r.source_file = "b.cu"; });
  add([](auto& r) { r.entry = "k2"; });
  add([](auto& r) { r.arch = "sm_90"; });
  add([](auto& r) { r.headers["a.h"] = "B"; });
  add([](auto& r) { r.headers = {{"b.h", "A"}}; });
  add([](auto& r) { r.headers["c.h"] = ""; });
  add([](auto& r) { r.options.clear(); });
  add([](auto& r) { r.options.push_back("--fmad=false"); });
  add([](auto& r) { r.options = {"--std=c++20"}; });
  EXPECT_EQ(keys.size(), 11U);
  keys.insert(ArtifactCache::key_of(base, "NVRTC 13.1"));
  EXPECT_EQ(keys.size(), 12U);
  CompileRequest patient = base;
  patient.timeout_s = 1;
  patient.memory_mb = 1;
  EXPECT_TRUE(keys.contains(ArtifactCache::key_of(patient, "NVRTC 13.0"))) << "limits do not change a result";
}

TEST(Cache, KeepsArtifactsAndFailuresAcrossObjects) {
  const Folder folder;
  {
    ArtifactCache cache(folder.path());
    EXPECT_FALSE(cache.find(key(1)));
    cache.store(key(1), artifact(1));
    cache.store(key(2), tl::unexpected(failure()));
    EXPECT_EQ(cache.problem(), "");
  }
  ArtifactCache cache(folder.path());
  const auto made = cache.find(key(1));
  ASSERT_TRUE(made && *made);
  EXPECT_TRUE((*made)->from_cache);
  EXPECT_TRUE(same(**made, artifact(1)));
  const auto failed = cache.find(key(2));
  ASSERT_TRUE(failed && !*failed);
  EXPECT_EQ(failed->error().evidence, failure().evidence);
  const CacheStats stats = cache.stats();
  EXPECT_EQ(stats.entries, 2);
  EXPECT_GT(stats.bytes, 1000);
  EXPECT_EQ(stats.hits, 2);
  EXPECT_EQ(cache.clear(), 2);
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_EQ(cache.stats().entries, 0);
}

TEST(Cache, AnyDamageIsAMissAndTheEntryGoes) {
  const Folder folder;
  ArtifactCache cache(folder.path());
  cache.store(key(1), artifact(1));
  const fs::path file = files_below(folder.path() / "entries").at(0);
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  int damaged = 0;
  for (std::size_t at = 0; at < whole.size(); at += 61) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    if (at % 2 == 1) bad.resize(at);
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_FALSE(cache.find(key(1))) << at;
    EXPECT_FALSE(fs::exists(file)) << at;
    ++damaged;
  }
  EXPECT_EQ(cache.stats().corrupt, damaged);
  cache.store(key(1), artifact(1));
  EXPECT_TRUE(cache.find(key(1)));
}

TEST(Cache, TheOldestUnusedGoFirstWhenTheCapIsReached) {
  const Folder folder;
  ArtifactCache cache(folder.path(), 100000);
  for (int i = 0; i < 30; ++i) {
    cache.store(key(i), artifact(i, 5000));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // file times tell the order of use
    EXPECT_TRUE(cache.find(key(0))) << "in use all the time: " << i;
  }
  const CacheStats stats = cache.stats();
  EXPECT_LE(stats.bytes, 100000 + 100000 / 16 + 6000);
  EXPECT_GT(stats.evicted, 5);
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.find(key(29)));
}

TEST(Cache, AFolderThatCannotBeUsedIsNoError) {
  const Folder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  ArtifactCache cache(folder.path() / "file" / "cache");
  EXPECT_NE(cache.problem(), "");
  cache.store(key(1), artifact(1));
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_EQ(cache.stats().entries, 0);
}

TEST(Cache, DefaultFolderFollowsXdg) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "/x/y", 1);
  EXPECT_EQ(ArtifactCache::default_folder(), "/x/y/evo/artifacts");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // the specification: to be ignored
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(ArtifactCache::default_folder(), "/home/someone/.cache/evo/artifacts");
  if (before == nullptr) {
    ::unsetenv("XDG_CACHE_HOME");
  } else {
    ::setenv("XDG_CACHE_HOME", saved.c_str(), 1);
  }
}

TEST(Cache, TwoProcessesWriteAndReadTheSameKeysAtOnce) {
  const Folder folder;
  const auto hammer = [&] {
    ArtifactCache cache(folder.path(), 60000);  // small: eviction runs all the time too
    for (int round = 0; round < 300; ++round) {
      const int i = round % 17;
      cache.store(key(i), artifact(i, 4000));
      const auto found = cache.find(key((round * 7) % 17));
      if (found && !same(**found, artifact((round * 7) % 17, 4000))) ::_exit(3);  // torn or mixed up
    }
    if (cache.stats().corrupt != 0 || !cache.problem().empty()) ::_exit(4);
  };
  EXPECT_EQ(in_child(hammer, [&](pid_t) { EXPECT_EQ(in_child(hammer), 0); }), 0);
  EXPECT_TRUE(files_below(folder.path() / "tmp").empty());
}

TEST(Cache, KillingAWriterLeavesOnlyWholeEntries) {
  const Folder folder;
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    in_child(
        [&] {
          ArtifactCache cache(folder.path());
          for (int i = 0;; ++i) {
            cache.store(key((round + i) % 50), artifact((round + i) % 50, 200000));
            if (i == 0 && ::write(ends[1], "x", 1) != 1) ::_exit(1);
          }
        },
        [&](pid_t pid) {
          // From its second entry on, at another instant each time.
          char byte = 0;
          EXPECT_EQ(::read(ends[0], &byte, 1), 1);
          ::usleep(static_cast<useconds_t>(round * 937 % 9000));
          ::kill(pid, SIGKILL);
        });
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ArtifactCache cache(folder.path());
  int found = 0;
  for (int i = 0; i < 50; ++i) {
    const auto result = cache.find(key(i));
    if (!result) continue;
    ++found;
    EXPECT_TRUE(same(**result, artifact(i, 200000)));
  }
  EXPECT_GE(found, 40);
  EXPECT_EQ(cache.stats().corrupt, 0);
}

TEST(Cache, TemporaryFilesOfTheDeadAreRemovedInTime) {
  const Folder folder;
  ArtifactCache cache(folder.path());
  const fs::path old_file = folder.path() / "tmp" / "dead", new_file = folder.path() / "tmp" / "alive";
  std::ofstream(old_file) << "half";
  std::ofstream(new_file) << "half";
  fs::last_write_time(old_file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.store(key(1), artifact(1));  // the first store of a process looks around
  EXPECT_FALSE(fs::exists(old_file));
  EXPECT_TRUE(fs::exists(new_file));
}

}  // namespace
}  // namespace evo::evaluators::compile
