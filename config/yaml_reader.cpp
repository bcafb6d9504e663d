#include "config/yaml_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "config/nearest.hpp"

namespace evo::config {

Reader Reader::load(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    const auto inside = std::filesystem::path(file) / "experiment.yaml";
    const bool there = std::filesystem::exists(inside, ignored);
    throw Invalid{{"is a folder, not a YAML file" +
                       (there ? fmt::format(" (did you mean '{}'?)", inside.string()) : std::string()),
                   file, 0, 0}};
  }
  std::ifstream stream(file);
  if (!stream) throw Invalid{{fmt::format("cannot be read: {}", std::strerror(errno)), file, 0, 0}};
  std::stringstream text;
  text << stream.rdbuf();
  try {
    YAML::Node node = YAML::Load(text.str());
    if (!node.IsMap()) {
      const bool kernel = file.ends_with(".cu") || file.ends_with(".cuh");
      throw Invalid{{kernel ? "is a kernel, not a YAML file: evo tune runs it, evo new makes a folder of it"
                            : "holds no keys: expected a map at the top",
                     file, 1, 1}};
    }
    return {node, file, ""};
  } catch (const YAML::ParserException& error) {
    if (file.ends_with(".cu") || file.ends_with(".cuh"))
      throw Invalid{
          {"is a kernel, not a YAML file: evo tune runs it, evo new makes a folder of it", file, 1, 1}};
    throw Invalid{{error.msg, file, error.mark.line + 1, error.mark.column + 1}};
  }
}

namespace {

/// A node that --set made carries the position 0, where only the file's root can stand.
bool has_position(const YAML::Mark& mark, bool is_root) {
  return !mark.is_null() && (is_root || mark.pos > 0);
}

}  // namespace

int Reader::line() const {
  return has_position(node_.Mark(), path_.empty()) ? node_.Mark().line + 1 : 0;
}
int Reader::column() const {
  return has_position(node_.Mark(), path_.empty()) ? node_.Mark().column + 1 : 0;
}

void Reader::fail(const std::string& message) const {
  throw Invalid{{path_.empty() ? message : fmt::format("{}: {}", path_, message), file_, line(), column()}};
}

Reader Reader::child(const YAML::Node& node, const std::string& name) const {
  return {node, file_, path_.empty() ? name : path_ + "." + name};
}

std::vector<std::string> Reader::keys() const {
  if (!node_.IsMap()) fail("expected a map of keys");
  std::vector<std::string> result;
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const Reader key = child(entry.first, "key");
    if (!entry.first.IsScalar()) key.fail("a key must be a plain word");
    const std::string name = entry.first.Scalar();
    if (!seen.insert(name).second) {
      throw Invalid{{fmt::format("key '{}' occurs twice", name), file_, key.line(), key.column()}};
    }
    result.push_back(name);
  }
  return result;
}

void Reader::expect_keys(const std::vector<std::string>& known) const {
  for (const std::string& name : keys()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    int at_line = 0, at_column = 0;
    for (const auto& entry : node_) {
      const bool first_key = path_.empty() && entry.first.Mark().pos == 0;
      if (entry.first.Scalar() == name && has_position(entry.first.Mark(), first_key)) {
        at_line = entry.first.Mark().line + 1;
        at_column = entry.first.Mark().column + 1;
      }
    }
    throw Invalid{{fmt::format("unknown key '{}{}{}'{}", path_, path_.empty() ? "" : ".", name,
                               suggestion(name, known)),
                   file_, at_line, at_column}};
  }
}

std::optional<Reader> Reader::find(std::string_view key) const {
  if (!node_.IsMap()) fail("expected a map of keys");
  for (const auto& entry : node_) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return child(entry.second, std::string(key));
  }
  return std::nullopt;
}

Reader Reader::at(std::string_view key) const {
  auto found = find(key);
  if (!found) fail(fmt::format("the key '{}' is missing", key));
  return *found;
}

std::vector<Reader> Reader::items() const {
  if (!node_.IsSequence()) fail("expected a list");
  std::vector<Reader> result;
  for (std::size_t i = 0; i < node_.size(); ++i)
    result.push_back({node_[i], file_, fmt::format("{}[{}]", path_, i)});
  return result;
}

std::string Reader::text() const {
  if (!node_.IsScalar()) fail("expected a single value");
  return node_.Scalar();
}

std::string Reader::optional_text(std::string_view key) const {
  const auto found = find(key);
  return found ? found->text() : std::string();
}

std::vector<std::string> Reader::alternatives() const {
  const std::string all = text();
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= all.size() && !all.empty();) {
    const std::size_t end = std::min(all.find('|', begin), all.size());
    parts.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool Reader::boolean() const {
  const std::string word = text();
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  fail(fmt::format("expected true or false, not '{}'", word));
}

std::int64_t Reader::integer(std::int64_t low, std::int64_t high) const {
  std::string word = text();
  // 100_000 reads better than 100000 and is not YAML 1.2; accept it.
  word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    fail(fmt::format("expected an integer, not '{}'", text()));
  }
  if (value < low || value > high) fail(fmt::format("{} is out of range: {} to {}", value, low, high));
  return value;
}

double Reader::number(double low, double high) const {
  const std::string word = text();
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size())
    fail(fmt::format("expected a number, not '{}'", word));
  if (!(value >= low && value <= high)) fail(fmt::format("{} is out of range: {} to {}", value, low, high));
  return value;
}

model::Value Reader::value() const {
  const std::string word = text();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size()) return number;
  return word;
}

model::Expression Reader::expression() const {
  auto parsed = model::Expression::parse(text(), file_, line(), column());
  if (!parsed) throw Invalid{parsed.error()};
  return *parsed;
}

std::string Reader::choice(const std::vector<std::string>& known, std::string_view what) const {
  std::string word = text();
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    fail(fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
  }
  return word;
}

}  // namespace evo::config
