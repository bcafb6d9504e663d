// Texts that share most of their lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include <boost/json.hpp>

namespace evo::report {

/// Each line once; a text is runs of them.
class LineTable {
 public:
  /// [[first, count], ...]: the text is the lines first, first + 1, ... of each part.
  boost::json::array parts_of(std::string_view source) {
    boost::json::array parts;
    std::int64_t first = -1, count = 0;
    const auto flush = [&] {
      if (count > 0) parts.push_back(boost::json::array{first, count});
    };
    while (!source.empty()) {
      const std::size_t end = std::min(source.find('\n'), source.size());
      const std::int64_t line = number(source.substr(0, end));
      if (count == 0 || line != first + count) {
        flush();
        first = line;
        count = 0;
      }
      ++count;
      source.remove_prefix(std::min(end + 1, source.size()));
    }
    flush();
    bytes_ += parts.size() * 10;
    return parts;
  }
  /// Roughly, of lines and parts as JSON.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] boost::json::array take() { return std::move(lines_); }

 private:
  std::int64_t number(std::string_view line) {
    const auto [found, added] =
        numbers_.try_emplace(std::string(line), static_cast<std::int64_t>(lines_.size()));
    if (added) {
      lines_.emplace_back(line);
      bytes_ += line.size() + 3 + static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
    }
    return found->second;
  }
  std::unordered_map<std::string, std::int64_t> numbers_;
  boost::json::array lines_;
  std::size_t bytes_ = 0;
};

}  // namespace evo::report
