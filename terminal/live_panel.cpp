#include "terminal/live_panel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace evo::terminal {
namespace {

winsize size_of(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) size = {};
  if (size.ws_col == 0) size.ws_col = 80;
  if (size.ws_row == 0) size.ws_row = 24;
  return size;
}

/// Characters of UTF-8 text, each of one column.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string first_columns(const std::string& text, std::size_t columns) {
  std::size_t at = 0, seen = 0;
  for (; at < text.size(); ++at)
    if ((text[at] & 0xc0) != 0x80 && ++seen > columns) break;
  return text.substr(0, at);
}

}  // namespace

bool is_live_terminal(std::FILE* stream) {
  const char *term = std::getenv("TERM"), *plain = std::getenv("NO_COLOR");
  if (plain != nullptr && *plain != '\0') return false;
  return ::isatty(::fileno(stream)) != 0 && term != nullptr && *term != '\0' &&
         std::string_view(term) != "dumb";
}

bool shows_blocks() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::size_t terminal_width(std::FILE* stream) {
  return size_of(stream).ws_col;
}

void LivePanel::write(std::string text) {
  // At once, so that no other writer comes in between; a terminal that went away is no reason to end a run.
  std::fflush(stream_);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(::fileno(stream_), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Up to the panel's first row. A terminal that became narrower has broken its rows into several.
std::string LivePanel::erase() const {
  if (widths_.empty()) return "\r\x1b[J";
  const std::size_t width = terminal_width(stream_);
  std::size_t up = 0;
  for (const std::size_t columns : widths_) up += std::max<std::size_t>(1, (columns + width - 1) / width);
  return fmt::format("\r\x1b[{}A\x1b[J", up);
}

std::string LivePanel::drawn(std::size_t width, std::size_t height) {
  std::string text;
  widths_.clear();
  for (const PanelRow& row : rows_) {
    // One column stays free: a terminal may break the line after its last.
    if (widths_.size() + 1 >= height || width < label_width + 2) break;
    const std::string cut = first_columns(row.text, width - label_width - 1);
    text += fmt::format("\x1b[2m{:<{}}\x1b[0m{}\r\n", row.label, label_width, cut);
    widths_.push_back(label_width + columns_of(cut));
  }
  return text;
}

void LivePanel::draw(const std::vector<PanelRow>& rows) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  std::string text = erase();
  rows_ = rows;
  const winsize size = size_of(stream_);
  write(text + drawn(size.ws_col, size.ws_row));
}

void LivePanel::line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const winsize size = size_of(stream_);
  if (ended_ || widths_.empty()) return write(text + "\r\n");
  const std::string above = erase() + text + "\r\n";
  write(above + drawn(size.ws_col, size.ws_row));
}

void LivePanel::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  rows_.clear();
  widths_.clear();
}

}  // namespace evo::terminal
