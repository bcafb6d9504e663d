// Runs the real binary and keeps what it printed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "tests/support/evo_binary.hpp"

namespace evo::cli::testing {

struct Output {
  int exit_code = -1;
  std::string out, err;
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A folder of its own for every test, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evo-cli-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// In a forked child: becomes evo, whose output nobody reads. Does not return.
[[noreturn]] inline void become_silent_evo(const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(evo::testing::evo_binary())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (std::freopen("/dev/null", "w", stdout) != nullptr && std::freopen("/dev/null", "w", stderr) != nullptr)
    ::execv(evo::testing::evo_binary(), argv.data());
  ::_exit(127);
}

inline std::string shell_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// `prefix` goes in front of the command, e.g. "ulimit -f 64;".
inline Output run_evo(const std::vector<std::string>& arguments, const std::string& prefix = {}) {
  const Scratch scratch;
  std::string command = prefix + " " + shell_quote(evo::testing::evo_binary());
  for (const std::string& argument : arguments) command += " " + shell_quote(argument);
  command += " >" + shell_quote(scratch / "out") + " 2>" + shell_quote(scratch / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  Output output;
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  output.out = read_file(scratch / "out");
  output.err = read_file(scratch / "err");
  return output;
}

inline boost::json::object parse_object(const std::string& text) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(text, error);
  EXPECT_FALSE(error) << "not JSON: " << text;
  return value.is_object() ? value.get_object() : boost::json::object{};
}

inline std::string source_path(const std::string& name) {
  return std::string(EVO_SOURCE_DIR) + "/" + name;
}

}  // namespace evo::cli::testing
