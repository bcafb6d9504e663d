#include "intake/texture_use.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "intake/signature.hpp"
#include "model/error.hpp"
#include "source/tokens.hpp"

namespace evo::intake {
namespace {

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// tex2D, surf3Dwrite: what a name of an access says; no dimensions: it is none.
TextureUse named_access(std::string_view name) {
  TextureUse use;
  const bool texture = name.starts_with("tex"), surface = name.starts_with("surf");
  if (!texture && !surface) return use;
  for (unsigned d = 1; d <= 3; ++d) {
    if (has(name.substr(texture ? 3 : 4, 2), fmt::format("{}D", d))) use.dimensions = d;
  }
  use.layered = has(name, "Layered");
  use.whole = name == "tex1Dfetch";
  use.written = surface && has(name, "write");
  use.read = !use.written;
  return use;
}

}  // namespace

ObjectKind object_kind(std::string_view type) {
  if (type.find('*') != std::string_view::npos) return ObjectKind::none;
  if (has(type, "cudaTextureObject_t")) return ObjectKind::texture;
  return has(type, "cudaSurfaceObject_t") ? ObjectKind::surface : ObjectKind::none;
}

TextureUse texture_use(std::string_view code, const std::string& name) {
  const std::vector<source::Token> tokens = source::tokens_of(std::string(code));
  TextureUse all;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    TextureUse use = named_access(tokens[i].text);
    if (tokens[i].kind != source::TokenKind::name || use.dimensions == 0) continue;
    std::size_t at = i + 1;
    if (tokens[at].is("<")) {
      std::string element;
      for (++at; at < tokens.size() && !tokens[at].is(">"); ++at)
        element += (element.empty() ? "" : " ") + tokens[at].text;
      use.element = element_type(element);
      ++at;
    }
    if (at >= tokens.size() || !tokens[at].is("(")) continue;
    const std::size_t end = source::closing(tokens, at);
    bool takes = false;  // as an argument of its own
    for (std::size_t k = at + 1; k < end; ++k) {
      if (tokens[k].is("(")) k = source::closing(tokens, k);  // another call's
      if (k >= end) break;
      const bool before = tokens[k - 1].is("(") || tokens[k - 1].is(",");
      const bool after = k + 1 <= end && (tokens[k + 1].is(",") || tokens[k + 1].is(")"));
      takes = takes || (tokens[k].is(name) && before && after);
    }
    if (!takes) continue;
    use.read = use.read || all.read;
    use.written = use.written || all.written;
    if (use.element.dtype.empty()) use.element = all.element;
    all = use;
  }
  return all;
}

TextureWords read_texture_words(const std::string& text, const std::string& words) {
  const auto wrong = [&](const std::string& message) {
    throw model::Exception(model::ExitCode::usage, fmt::format("--arg '{}': {}", text, message));
  };
  const std::size_t open = words.find('(');
  TextureWords result;
  result.key = trimmed(words.substr(0, open));
  if (result.key != "texture" && result.key != "surface")
    wrong(fmt::format("unknown word '{}'{}", result.key,
                      config::suggestion(result.key, {"texture", "surface"})));
  const auto table = result.key == "texture" ? config::texture_keys() : config::surface_keys();
  const std::size_t close = words.rfind(')');
  if (open != std::string::npos && close == std::string::npos) wrong("the ')' is missing");
  const std::string inside = open == std::string::npos ? "" : words.substr(open + 1, close - open - 1);
  // A word that only one key has is enough; others stand as KEY=VALUE.
  std::vector<std::string> known = config::key_names(table);
  for (const config::Key& key : table) {
    if (key.name == "memory") continue;
    for (std::string_view rest = key.choices; !rest.empty();) {
      const std::size_t bar = std::min(rest.find('|'), rest.size());
      known.emplace_back(rest.substr(0, bar));
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  for (const std::string& word : trimmed(inside).empty() ? std::vector<std::string>{} : split_list(inside)) {
    std::string key, value;
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      key = trimmed(word.substr(0, equals)), value = trimmed(word.substr(equals + 1));
    } else {
      for (const config::Key& each : table) {
        const std::string choices = fmt::format("|{}|", each.choices);
        if (each.name != "memory" && has(choices, fmt::format("|{}|", word))) key = each.name, value = word;
        if (each.type == "boolean" && each.name == word) key = word, value = "true";
      }
    }
    const std::vector<std::string> names = config::key_names(table);
    if (std::find(names.begin(), names.end(), key) == names.end())
      wrong(fmt::format("unknown word '{}' of {}(...){}", word, result.key,
                        config::suggestion(key.empty() ? word : key, known)));
    result.map += fmt::format("{}{}: {}", result.map.empty() ? "" : ", ", key, value);
  }
  result.map = fmt::format("{{{}}}", result.map);
  return result;
}

}  // namespace evo::intake
