// Rows that are drawn again in place at the end of a terminal, below lines that scroll. Thread-safe.
//
// Nothing of the terminal is switched: no other screen, no hidden cursor, no mode. The cursor rests at the
// start of the line below the panel, so that whatever ends the process leaves a usable terminal.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "terminal/panel.hpp"

namespace evo::terminal {

/// True when `stream` is a terminal that takes cursor movement and colours are wanted: not TERM=dumb, no
/// NO_COLOR.
[[nodiscard]] bool is_live_terminal(std::FILE* stream);
/// True where the locale says UTF-8.
[[nodiscard]] bool shows_blocks();
/// Columns of the terminal behind `stream`; 80 if nobody knows.
[[nodiscard]] std::size_t terminal_width(std::FILE* stream);

class LivePanel {
 public:
  /// `stream` must be one of is_live_terminal().
  explicit LivePanel(std::FILE* stream) : stream_(stream) {}

  /// Replaces the rows; those that the terminal's height has no room for are left out.
  void draw(const std::vector<PanelRow>& rows);
  /// A line above the panel.
  void line(const std::string& text);
  /// Leaves what is drawn where it is: what follows is written below, and draw() does nothing any more.
  void end();

 private:
  void write(std::string text);
  [[nodiscard]] std::string erase() const;
  [[nodiscard]] std::string drawn(std::size_t width, std::size_t height);

  std::FILE* stream_;
  std::mutex mutex_;
  std::vector<PanelRow> rows_;
  std::vector<std::size_t> widths_;  ///< columns of each row on the screen
  bool ended_ = false;
};

}  // namespace evo::terminal
