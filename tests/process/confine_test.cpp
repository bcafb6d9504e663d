// The sandbox of a worker, from inside: what a compiler or a driver that was taken over could still do.
#include "evaluators/process/confine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "evaluators/process/child.hpp"

namespace evo::evaluators::process {
namespace {

using namespace std::chrono_literals;

std::string ask(const std::string& mode, const std::string& argument = "0") {
  Child child = Child::spawn({EVO_TEST_CHILD, mode, argument}, {});
  EXPECT_TRUE(child.write_frame("go"));
  return child.read_frame(30s).frame;
}

TEST(Confine, ACompileWorkerHasNoNetworkNoProcessesAndItsThreads) {
  const std::string report = ask("confined-compiler");
  if (report.starts_with("free")) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(report, "held internet=no internet6=no local=no fork=no shell=no thread=yes exec=no");
}

TEST(Confine, ADeviceWorkerKeepsLocalSocketsOnly) {
  const std::string report = ask("confined-device");
  if (report.starts_with("free")) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(report, "held internet=no internet6=no local=yes fork=no shell=no thread=yes exec=no");
}

TEST(Confine, CpuTimeHasAnEnd) {
  Child child = Child::spawn({EVO_TEST_CHILD, "spin-limited"}, {});
  EXPECT_TRUE(child.write_frame("go"));
  EXPECT_EQ(child.read_frame(60s).status, ReadStatus::closed);
  // The stream closes a little before the process is gone.
  for (int i = 0; i < 1000 && !child.exit_status(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(child.exit_status(), -SIGXCPU);
}

TEST(Confine, FilesAreFewAndNoneIsWritten) {
  const auto file = std::filesystem::temp_directory_path() / ("evo_confine_" + std::to_string(::getpid()));
  EXPECT_EQ(ask("files", file.string()), "bounded refused");
  std::filesystem::remove(file);
}

TEST(Confine, WhatIsThereIsSaid) {
  EXPECT_EQ(describe({5, true}), "Landlock 5, seccomp");
  EXPECT_EQ(describe({5, false}), "Landlock 5");
  EXPECT_EQ(describe({0, true}), "seccomp");
  EXPECT_EQ(describe({0, false}), "none");
  EXPECT_GE(available_sandbox().landlock, 0);
}

}  // namespace
}  // namespace evo::evaluators::process
