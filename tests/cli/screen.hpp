// A terminal for tests: what stands on its screen after the bytes that a program wrote, and programs that run
// on one.
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/evo_binary.hpp"

namespace evo::cli::testing {

/// As much of a VT100 as evo writes: text in UTF-8, CR, LF, cursor up, erase to the end of line or screen,
/// colours. Any other control is kept in `unknown`, so that a test fails on it.
class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows) : columns_(columns), lines_(rows) {}

  void feed(const std::string& bytes) {
    for (const char c : bytes) take(c);
  }
  /// The lines without spaces at their ends, and without the empty ones at the end.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> shown;
    for (const std::vector<std::string>& line : lines_) {
      std::string text;
      for (const std::string& cell : line) text += cell;
      while (text.ends_with(' ')) text.pop_back();
      shown.push_back(text);
    }
    while (!shown.empty() && shown.back().empty()) shown.pop_back();
    return shown;
  }
  /// What stands after a panel row's label, of the last row with it; "" without one.
  [[nodiscard]] std::string row(const std::string& label) const {
    std::string found;
    for (const std::string& line : lines())
      if (line.starts_with(label + " ")) found = line.substr(std::min<std::size_t>(8, line.size()));
    return found;
  }
  [[nodiscard]] std::size_t count(const std::string& label) const {
    std::size_t n = 0;
    for (const std::string& line : lines()) n += line.starts_with(label + " ") ? 1 : 0;
    return n;
  }
  [[nodiscard]] std::size_t cursor_column() const { return column_; }
  /// True where a line went beyond the last column.
  [[nodiscard]] bool wrapped() const { return wrapped_; }
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

 private:
  void take(char c) {
    if (!escape_.empty()) return control(c);
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\x1b') {
      escape_ = c;
    } else if (c == '\r') {
      column_ = 0;
    } else if (c == '\n') {
      line_feed();
    } else if ((byte & 0xc0) == 0x80) {
      if (column_ > 0 && column_ <= lines_[row_].size()) lines_[row_][column_ - 1] += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      unknown_ += fmt_control(byte);
    } else {
      if (column_ == columns_) {
        wrapped_ = true;
        column_ = 0;
        line_feed();
      }
      auto& line = lines_[row_];
      if (line.size() <= column_) line.resize(column_ + 1, " ");
      line[column_++] = std::string(1, c);
    }
  }
  void control(char c) {
    escape_ += c;
    if (escape_.size() == 2) {
      if (c != '[') end_unknown();
      return;
    }
    if ((c >= '0' && c <= '9') || c == ';') return;
    const std::size_t number = escape_.size() > 3 ? std::strtoul(escape_.c_str() + 2, nullptr, 10) : 0;
    if (c == 'A') {
      row_ -= std::min(row_, std::max<std::size_t>(number, 1));
    } else if (c == 'K' && number == 0) {
      lines_[row_].resize(std::min(lines_[row_].size(), column_));
    } else if (c == 'J' && number == 0) {
      lines_[row_].resize(std::min(lines_[row_].size(), column_));
      for (std::size_t i = row_ + 1; i < lines_.size(); ++i) lines_[i].clear();
    } else if (c != 'm') {
      return end_unknown();
    }
    escape_.clear();
  }
  void end_unknown() {
    unknown_ += "ESC" + escape_.substr(1) + " ";
    escape_.clear();
  }
  static std::string fmt_control(unsigned byte) { return "control " + std::to_string(byte) + " "; }
  void line_feed() {
    if (row_ + 1 < lines_.size()) {
      ++row_;
      return;
    }
    lines_.erase(lines_.begin());
    lines_.emplace_back();
  }

  std::size_t columns_;
  std::vector<std::vector<std::string>> lines_;
  std::size_t row_ = 0, column_ = 0;
  bool wrapped_ = false;
  std::string escape_, unknown_;
};

struct Terminal {
  unsigned short columns = 80, rows = 24;
  std::map<std::string, std::string> environment{{"TERM", "xterm"}, {"NO_COLOR", ""}, {"LC_ALL", "C.UTF-8"}};
};

/// evo with its three streams on a terminal of its own.
class OnTerminal {
 public:
  OnTerminal(const std::vector<std::string>& arguments, const Terminal& terminal) {
    winsize size{terminal.rows, terminal.columns, 0, 0};
    child_ = ::forkpty(&end_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    for (const auto& [name, value] : terminal.environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv{const_cast<char*>(evo::testing::evo_binary())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(evo::testing::evo_binary(), argv.data());
    ::_exit(127);
  }
  ~OnTerminal() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(end_);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  /// Reads until `enough` says so or the program ends; false if it is neither within `seconds`.
  template <class Enough>
  bool read_until(Enough enough, double seconds = 60) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
      if (enough(bytes_)) return true;
      pollfd ready{end_, POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      char buffer[4096];
      const ssize_t got = ::read(end_, buffer, sizeof buffer);
      if (got <= 0 && errno != EINTR) return wait();
      if (got > 0) bytes_.append(buffer, static_cast<std::size_t>(got));
    }
    return false;
  }
  bool read_to_the_end(double seconds = 60) {
    return read_until([](const std::string&) { return false; }, seconds);
  }
  /// As a person does: the terminal makes a signal of it.
  void press_ctrl_c() { (void)!::write(end_, "\x03", 1); }
  [[nodiscard]] termios modes() const {
    termios found{};
    ::tcgetattr(end_, &found);
    return found;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  bool wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  int end_ = -1;
  pid_t child_ = -1;
  std::string bytes_;
  int exit_code_ = -1;
};

}  // namespace evo::cli::testing
