#include "evaluators/profile/line_text.hpp"

#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace evo::evaluators::profile {
namespace {

using Place = std::pair<std::string, int>;

/// A line without the blanks around it, not too long for a table.
std::string trimmed(std::string_view line) {
  constexpr std::size_t longest = 120;
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  line = line.substr(first, line.find_last_not_of(blanks) - first + 1);
  if (line.size() <= longest) return std::string(line);
  std::size_t end = longest;
  // Not in the middle of a character of UTF-8.
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return std::string(line.substr(0, end)) + " ...";
}

/// The file of a directive's rest, such as ` 12 "scalar.cu"`; `before` where it names none.
std::string file_of(std::string_view rest, const std::string& before) {
  const std::size_t first = rest.find('"'), last = rest.rfind('"');
  if (first == std::string_view::npos || last == first) return before;
  return std::string(rest.substr(first + 1, last - first - 1));
}

/// Of `files` the longest that ends `path`; without one its last part.
std::string name_among(const std::set<std::string>& files, const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string& file : files) {
    if (file.size() > name.size() && (path == file || path.ends_with("/" + file))) name = file;
  }
  return name;
}

void read_lines(const std::string& text, std::string file, std::map<Place, std::string>& texts) {
  constexpr std::string_view directive = "#line ";
  std::istringstream stream(text);
  int number = 1;
  for (std::string line; std::getline(stream, line); ++number) {
    if (line.starts_with(directive)) {
      number = std::atoi(line.c_str() + directive.size()) - 1;
      file = file_of(std::string_view(line).substr(directive.size()), file);
    } else {
      texts[{file, number}] = trimmed(line);
    }
  }
}

}  // namespace

void add_line_texts(model::CounterReading& reading, const std::string& source, const std::string& source_file,
                    const std::map<std::string, std::string>& headers) {
  std::map<Place, std::string> texts;
  for (const auto& [name, text] : headers) read_lines(text, name, texts);
  read_lines(source, source_file, texts);
  std::set<std::string> files;
  for (const auto& known : texts) files.insert(known.first.first);
  const auto look_up = [&](auto& lines) {
    for (auto& line : lines) {
      const auto found = texts.find({line.file, line.line});
      if (found != texts.end()) line.text = found->second;
    }
  };
  for (model::KernelCounters& kernel : reading.kernels) {
    for (model::LineSamples& line : kernel.sampled) line.file = name_among(files, line.file);
    look_up(kernel.lines);
    look_up(kernel.sampled);
  }
}

}  // namespace evo::evaluators::profile
