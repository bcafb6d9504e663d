#include "intake/request.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "intake/signature.hpp"
#include "intake/texture_use.hpp"
#include "model/error.hpp"
#include "model/expression.hpp"

namespace evo::intake {
namespace {

[[noreturn]] void wrong(const std::string& flag, const std::string& text, const std::string& message) {
  throw model::Exception(model::ExitCode::usage, fmt::format("{} '{}': {}", flag, text, message));
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "d.rows", "view.centre.x", "d.weight[2]": a member of a struct by value.
bool is_path(std::string_view text) {
  return is_name(text.substr(0, text.find_first_of(".["))) && text.back() != '.' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '[' || c == ']';
         });
}

std::vector<std::string> choices_of(const config::Key& key) {
  std::vector<std::string> words;
  std::string_view rest = key.choices;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    words.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// NAME=REST or NAME: REST.
std::pair<std::string, std::string> named(const std::string& flag, const std::string& text, char mark,
                                          const char* form) {
  const std::size_t at = text.find(mark);
  const std::string name = trimmed(text.substr(0, at));
  const bool path = mark == ':' && is_path(name);
  if (at == std::string::npos || (!is_name(name) && !path))
    wrong(flag, text, fmt::format("expected {}", form));
  return {name, trimmed(text.substr(at + 1))};
}

/// "ceil_div(n, 4)" with the quotes that YAML would need.
std::string unquoted(std::string text) {
  const bool quoted =
      text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? trimmed(text.substr(1, text.size() - 2)) : text;
}

std::string flow(const YAML::Node& node) {
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  return emitter.c_str();
}

/// The problem is written into a folder of its own: a recording that stands where evo was called is named in
/// full.
YAML::Node with_whole_path(YAML::Node fill) {
  if (!fill.IsMap() || !fill["npy"] || !fill["npy"].IsScalar()) return fill;
  const std::filesystem::path file = fill["npy"].as<std::string>();
  std::error_code ignored;
  if (!file.is_absolute() && std::filesystem::is_regular_file(file, ignored))
    fill["npy"] = std::filesystem::absolute(file).string();
  return fill;
}

/// The sizes of a sequence; YAML ends one of them at the comma of a ceil_div(n, 16) without quotes.
std::vector<std::string> sizes_of(const YAML::Node& sequence) {
  std::vector<std::string> sizes;
  for (const YAML::Node& node : sequence) {
    const auto size = node.as<std::string>();
    const bool open =
        !sizes.empty() && std::ranges::count(sizes.back(), '(') > std::ranges::count(sizes.back(), ')');
    if (open) {
      sizes.back() += ", " + size;
    } else {
      sizes.push_back(size);
    }
  }
  return sizes;
}

void read_map(const std::string& text, const std::string& map, ArgumentFlag& flag) {
  YAML::Node node;
  try {
    node = YAML::Load(map);
  } catch (const YAML::Exception& error) {
    wrong("--arg", text, error.msg);
  }
  std::vector<std::string> known = config::key_names(config::argument_keys());
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    if (!contains(known, key))
      wrong("--arg", text, fmt::format("unknown key '{}'{}", key, config::suggestion(key, known)));
    if (key == "shape" && entry.second.IsSequence()) {
      flag.shape = sizes_of(entry.second);
    } else if (key == "role" || key == "dtype" || key == "value") {
      const auto word = entry.second.as<std::string>();
      (key == "role" ? flag.role : key == "dtype" ? flag.dtype : flag.value) = word;
    } else {
      flag.keys.emplace_back(key, flow(key == "fill" ? with_whole_path(entry.second) : entry.second));
    }
  }
}

void check_word(const std::string& text, const std::string& word, const std::vector<std::string>& known,
                const char* what) {
  if (!word.empty() && !contains(known, word))
    wrong("--arg", text, fmt::format("unknown {} '{}'{}", what, word, config::suggestion(word, known)));
}

/// Keys that are true or false: "done: workspace u32[1] zeroed" says that it is.
std::vector<std::string> words_of_arguments() {
  std::vector<std::string> words;
  for (const config::Key& key : config::argument_keys()) {
    if (key.type == "boolean") words.emplace_back(key.name);
  }
  return words;
}

/// What stands behind a shape is none of those: of a texture or surface, then.
void check_first_word(const std::string& text, const std::string& word) {
  std::vector<std::string> known = words_of_arguments();
  known.insert(known.end(), {"texture", "surface"});
  if (!contains(known, word))
    wrong("--arg", text, fmt::format("unknown word '{}'{}", word, config::suggestion(word, known)));
}

}  // namespace

std::vector<std::string> known_roles() {
  return choices_of(config::key(config::argument_keys(), "role"));
}

std::vector<std::string> known_dtypes() {
  return choices_of(config::key(config::argument_keys(), "dtype"));
}

AxisFlag read_axis_flag(const std::string& text) {
  auto [name, rest] = named("--axis", text, '=', "NAME=SIZE, such as n=1048576");
  AxisFlag flag{name, {}, {}};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < rest.size();) {
    std::size_t end = begin;
    // allowed=[32, 64] is one word.
    for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != ' '); ++end)
      depth += rest[end] == '[' ? 1 : rest[end] == ']' ? -1 : 0;
    if (end > begin) words.push_back(rest.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words.empty()) wrong("--axis", text, "expected NAME=SIZE, such as n=1048576");
  for (const std::string& size : split_list(words[0])) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
    if (error != std::errc{} || end != size.data() + size.size() || value < 0)
      wrong("--axis", text, fmt::format("'{}' is no size", size));
    flag.values.push_back(value);
  }
  std::vector<std::string> known = config::key_names(config::axis_keys());
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    if (equals == std::string::npos || !contains(known, key))
      wrong("--axis", text, fmt::format("unknown word '{}'{}", key, config::suggestion(key, known)));
    std::string value = words[i].substr(equals + 1);
    // As sizes are listed in a flag: allowed=32,64.
    if (key == "allowed" && !value.starts_with('[')) value = fmt::format("[{}]", value);
    flag.keys.emplace_back(key, std::move(value));
  }
  return flag;
}

GeneFlag read_gene_flag(const std::string& text) {
  auto [name, rest] = named("--gene", text, '=', "NAME=VALUE,VALUE,..., such as BLOCK=64,128,256");
  GeneFlag flag{name, split_list(rest)};
  if (flag.values.empty()) wrong("--gene", text, "a gene needs at least one value");
  for (std::size_t i = 0; i < flag.values.size(); ++i) {
    if (flag.values[i].empty()) wrong("--gene", text, "there is a value missing between two commas");
    if (std::find(flag.values.begin(), flag.values.begin() + static_cast<std::ptrdiff_t>(i),
                  flag.values[i]) != flag.values.begin() + static_cast<std::ptrdiff_t>(i))
      wrong("--gene", text, fmt::format("the value {} occurs twice", flag.values[i]));
  }
  return flag;
}

ArgumentFlag read_argument_flag(const std::string& text) {
  const auto [name, rest] =
      named("--arg", text, ':', "'NAME: [ROLE] [DTYPE][SHAPE]' or 'NAME: VALUE', such as 'y: inout f32[n]'");
  ArgumentFlag flag;
  flag.name = name;
  if (rest.empty()) wrong("--arg", text, "nothing stands behind the colon");
  if (rest.front() == '{') {
    read_map(text, rest, flag);
  } else {
    const std::vector<std::string> roles = known_roles(), dtypes = known_dtypes();
    std::string remaining = rest;
    const auto first_word = [&] {
      std::size_t end = 0;
      while (end < remaining.size() &&
             (std::isalnum(static_cast<unsigned char>(remaining[end])) != 0 || remaining[end] == '_'))
        ++end;
      return remaining.substr(0, end);
    };
    const auto drop = [&](std::size_t count) { remaining = trimmed(remaining.substr(count)); };
    if (contains(roles, first_word())) {
      flag.role = first_word();
      drop(flag.role.size());
    }
    const std::string word = first_word();
    const bool array = remaining.size() > word.size() && remaining[word.size()] == '[';
    if (contains(dtypes, word) || (array && !word.empty())) {
      flag.dtype = word;
      drop(word.size());
    }
    if (!remaining.empty() && remaining.front() == '[') {
      const std::size_t close = remaining.rfind(']');
      if (close == std::string::npos) wrong("--arg", text, "the shape's ']' is missing");
      flag.shape = split_list(remaining.substr(1, close - 1));
      for (std::string& size : flag.shape) size = unquoted(std::move(size));
      drop(close + 1);
    } else if (!remaining.empty() && !flag.role.empty() && flag.role != "scalar" && flag.dtype.empty()) {
      wrong("--arg", text, fmt::format("unknown dtype '{}'{}", word, config::suggestion(word, dtypes)));
    }
    // "y: inuot f32[n]": what stands in front of a dtype is a role.
    const std::size_t blank = remaining.find(' ');
    if (blank != std::string::npos && flag.role.empty() && flag.dtype.empty()) {
      const std::string next = trimmed(remaining.substr(blank));
      const std::string type = next.substr(0, next.find_first_of("[ "));
      if (is_name(word) && contains(dtypes, type)) check_word(text, word, roles, "role");
    }
    if (!flag.dtype.empty() && !flag.shape.empty()) {
      while (contains(words_of_arguments(), first_word())) {
        flag.keys.emplace_back(first_word(), "true");
        drop(first_word().size());
      }
    }
    if (!flag.dtype.empty() && !flag.shape.empty() && !remaining.empty()) {
      check_first_word(text, first_word());
      TextureWords words = read_texture_words(text, remaining);
      flag.keys.emplace_back(std::move(words.key), std::move(words.map));
      remaining.clear();
    }
    flag.value = remaining;
  }
  check_word(text, flag.role, known_roles(), "role");
  check_word(text, flag.dtype, known_dtypes(), "dtype");
  return flag;
}

void add_argument_flag(std::vector<ArgumentFlag>& flags, const std::string& text) {
  ArgumentFlag next = read_argument_flag(text);
  const auto known = std::ranges::find(flags, next.name, &ArgumentFlag::name);
  if (known == flags.end()) {
    flags.push_back(std::move(next));
    return;
  }
  const auto join = [&](auto& own, auto& more, const char* what) {
    if (!own.empty() && !more.empty() && own != more)
      wrong("--arg", text, fmt::format("another --arg has said the {} of {} already", what, next.name));
    if (own.empty()) own = std::move(more);
  };
  join(known->role, next.role, "role");
  join(known->dtype, next.dtype, "dtype");
  join(known->value, next.value, "value");
  join(known->shape, next.shape, "shape");
  for (auto& [key, value] : next.keys) {
    const auto same =
        std::ranges::find_if(known->keys, [&wanted = key](const auto& each) { return each.first == wanted; });
    if (same == known->keys.end())
      known->keys.emplace_back(key, std::move(value));
    else
      join(same->second, value, key.c_str());
  }
}

std::vector<std::string> read_expressions(const std::string& flag, const std::string& text,
                                          const std::vector<std::string>& names) {
  std::string list = text;
  if (list.size() > 1 && list.front() == '[' && list.back() == ']') list = list.substr(1, list.size() - 2);
  std::vector<std::string> parts = split_list(list);
  if (parts.empty() || parts.size() > 3) wrong(flag, text, "expected one to three expressions");
  for (const std::string& part : parts) {
    const auto expression = model::Expression::parse(part);
    if (!expression) wrong(flag, text, expression.error().message);
    for (const std::string& name : expression->names()) {
      if (!contains(names, name))
        wrong(flag, text, fmt::format("unknown name '{}'{}", name, config::suggestion(name, names)));
    }
  }
  return parts;
}

std::pair<std::string, std::string> read_unreached_flag(const std::string& text, const std::string& source) {
  const auto number = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  };
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t colon = text.find(':'); colon != std::string::npos && words.size() < 2;
       colon = text.find(':', begin)) {
    words.push_back(trimmed(text.substr(begin, colon - begin)));
    begin = colon + 1;
    if (number(words.back())) break;
  }
  const std::string why = trimmed(text.substr(begin));
  if (words.empty() || !number(words.back()) || why.empty())
    wrong("--unreached", text, "expected LINE: WHY or FILE:LINE: WHY, such as '76: no tile waits that long'");
  return {(words.size() == 2 ? words.front() : source) + ":" + words.back(), why};
}

}  // namespace evo::intake
