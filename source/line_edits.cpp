#include "source/line_edits.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace evo::source {
namespace {

using Lines = std::vector<std::string_view>;

/// Each with its end.
Lines lines_in(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.size(), text.find('\n') + 1);
    const std::size_t taken = length == 0 ? text.size() : length;
    lines.push_back(text.substr(0, taken));
    text.remove_prefix(taken);
  }
  return lines;
}

std::string hash_of(const Lines& lines, std::size_t begin, std::size_t count) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = begin; i < begin + count; ++i) {
    for (const char c : lines[i]) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return fmt::format("{:08x}", static_cast<std::uint32_t>(hash ^ (hash >> 32)));
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += c;
    }
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      result += text[++i] == 'n' ? '\n' : text[i];
    } else {
      result += text[i];
    }
  }
  return result;
}

struct Hunk {
  std::size_t begin = 0, count = 0;  ///< lines before
  std::size_t from = 0, to = 0;      ///< lines after
};

/// Runs of lines that differ, by the longest common subsequence between the common ends.
std::vector<Hunk> hunks_of(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const std::size_t n = a.size() - head - tail, m = b.size() - head - tail;
  if (n == 0 && m == 0) return {};
  constexpr std::size_t largest_table = std::size_t{1} << 24;
  if (n * m > largest_table) return {{head, n, head, head + m}};
  std::vector<std::uint32_t> table((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t k) -> std::uint32_t& { return table[i * (m + 1) + k]; };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = m; k-- > 0;)
      at(i, k) = a[head + i] == b[head + k] ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
  }
  std::vector<Hunk> hunks;
  std::size_t i = 0, k = 0;
  while (i < n || k < m) {
    if (i < n && k < m && a[head + i] == b[head + k]) {
      ++i, ++k;
      continue;
    }
    const std::size_t begin = i, from = k;
    while ((i < n || k < m) && !(i < n && k < m && a[head + i] == b[head + k])) {
      if (k == m || (i < n && at(i + 1, k) >= at(i, k + 1))) {
        ++i;
      } else {
        ++k;
      }
    }
    hunks.push_back({head + begin, i - begin, head + from, head + k});
  }
  return hunks;
}

}  // namespace

std::size_t text_begin(std::string_view source) {
  constexpr std::string_view mark = "#line 1 \"";
  const std::size_t found = source.starts_with(mark) ? 0 : source.find(std::string("\n").append(mark));
  if (found == std::string_view::npos) return 0;
  const std::size_t end = source.find('\n', found + 1);
  return end == std::string_view::npos ? source.size() : end + 1;
}

Edits line_edits(std::string_view before, std::string_view after, std::string_view operation,
                 std::size_t most) {
  const Lines a = lines_in(before), b = lines_in(after);
  std::vector<Hunk> hunks = hunks_of(a, b);
  if (hunks.size() > most) {
    const Hunk first = hunks.front(), last = hunks.back();
    hunks = {{first.begin, last.begin + last.count - first.begin, first.from, last.to}};
  }
  Edits edits;
  for (const Hunk& hunk : hunks) {
    std::string text;
    for (std::size_t i = hunk.from; i < hunk.to; ++i) text += b[i];
    edits.push_back({std::string(operation),
                     fmt::format("@{}+{}#{}", hunk.begin + 1, hunk.count, hash_of(a, hunk.begin, hunk.count)),
                     "lines " + escaped(text)});
  }
  return edits;
}

std::optional<LineChange> line_change(std::string_view source, const Edit& edit) {
  constexpr std::string_view word = "lines ";
  if (!edit.anchor.starts_with('@') || !edit.payload.starts_with(word)) return std::nullopt;
  const char* const end = edit.anchor.data() + edit.anchor.size();
  std::size_t line = 0, count = 0;
  auto read = std::from_chars(edit.anchor.data() + 1, end, line);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != '+' || line == 0) return std::nullopt;
  read = std::from_chars(read.ptr + 1, end, count);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != '#') return std::nullopt;
  const std::size_t start = text_begin(source);
  const Lines lines = lines_in(source.substr(start));
  if (line - 1 > lines.size() || count > lines.size() - (line - 1)) return std::nullopt;
  if (hash_of(lines, line - 1, count) != std::string_view(read.ptr + 1, end)) return std::nullopt;
  LineChange change;
  change.begin = start;
  for (std::size_t i = 0; i + 1 < line; ++i) change.begin += lines[i].size();
  change.end = change.begin;
  for (std::size_t i = line - 1; i < line - 1 + count; ++i) change.end += lines[i].size();
  change.text = unescaped(std::string_view(edit.payload).substr(word.size()));
  if (!change.text.empty() && !change.text.ends_with('\n') && change.end < source.size()) change.text += '\n';
  // Lines of findings stay those of the text without edits, where the next line is one of its own.
  const auto written = std::ranges::count(change.text, '\n');
  const bool whole = !change.text.ends_with("\\\n") && !source.substr(0, change.begin).ends_with("\\\n");
  if (static_cast<std::size_t>(written) != count && whole && line - 1 + count < lines.size())
    change.text += fmt::format("#line {}\n", line + count);
  return change;
}

}  // namespace evo::source
