#include "evaluators/compile/diagnostics.hpp"

#include <algorithm>

#include "evaluators/compile/text.hpp"

namespace evo::evaluators::compile {
namespace {

constexpr std::size_t most_errors = 50;

struct FrontEndLine {
  std::string_view file, message;
  int line = 0;
};

/// "scalar.cu(3): error #20-D: identifier ..." or "nvrtc: error: ...".
std::optional<FrontEndLine> front_end_error(std::string_view line) {
  for (const std::string_view word : {"catastrophic error", "error", "internal error"}) {
    for (auto at = line.find(": "); at != std::string_view::npos; at = line.find(": ", at + 1)) {
      std::string_view rest = line.substr(at + 2);
      if (!rest.starts_with(word)) continue;
      rest.remove_prefix(word.size());
      if (rest.starts_with(" #")) rest.remove_prefix(std::min(rest.find(':'), rest.size()));
      if (!rest.starts_with(": ")) continue;
      FrontEndLine found{line.substr(0, at), rest.substr(2), 0};
      if (const auto open = found.file.rfind('(');
          open != std::string_view::npos && found.file.ends_with(')')) {
        found.line = static_cast<int>(leading_number(found.file.substr(open + 1)).value_or(0));
        found.file = found.file.substr(0, open);
      } else if (found.file == "nvrtc") {
        found.file = {};
      }
      return found;
    }
  }
  return std::nullopt;
}

/// Source position of a PTX line: the .loc in force there.
void locate(std::string_view ptx, std::int64_t ptx_line, model::Evidence& evidence) {
  std::int64_t number = 0, file_index = 0;
  for (const std::string_view line : lines_of(ptx)) {
    if (++number > ptx_line) break;
    const std::string_view text = trimmed(line);
    if (!text.starts_with(".loc")) continue;
    const std::string_view rest = trimmed(text.substr(4));
    const auto blank = rest.find_first_of(" \t");
    if (blank == std::string_view::npos) continue;
    file_index = leading_number(rest).value_or(0);
    evidence.line = static_cast<int>(leading_number(trimmed(rest.substr(blank))).value_or(0));
  }
  if (file_index == 0) return;
  for (const std::string_view line : lines_of(ptx)) {
    const std::string_view text = trimmed(line);
    if (!text.starts_with(".file")) continue;
    const std::string_view rest = trimmed(text.substr(5));
    if (leading_number(rest) != file_index) continue;
    const auto open = rest.find('"'), close = rest.rfind('"');
    if (open != std::string_view::npos && close > open)
      evidence.file = rest.substr(open + 1, close - open - 1);
  }
}

/// "ptxas application ptx input, line 29; error   : ..." or "ptxas error   : ..." or "ptxas fatal   : ...".
std::optional<model::Evidence> ptxas_error(std::string_view line, std::string_view ptx) {
  if (!line.starts_with("ptxas ")) return std::nullopt;
  std::size_t at = std::string_view::npos;
  for (const std::string_view word : {"error", "fatal"}) {
    for (auto found = line.find(word); found != std::string_view::npos; found = line.find(word, found + 1)) {
      const std::string_view rest = line.substr(found + word.size());
      const auto text = rest.find_first_not_of(' ');
      if (text != std::string_view::npos && rest[text] == ':') {
        at = std::min(at, found + word.size() + text + 1);
        break;
      }
    }
  }
  if (at == std::string_view::npos) return std::nullopt;
  model::Evidence evidence{"error", "ptxas: " + valid_utf8(trimmed(line.substr(at))), {}, 0, {}};
  if (const auto mark = line.substr(0, at).find(", line "); mark != std::string_view::npos) {
    if (const auto number = leading_number(line.substr(mark + 7))) {
      evidence.details.emplace_back("ptx_line", std::to_string(*number));
      locate(ptx, *number, evidence);
    }
  }
  return evidence;
}

}  // namespace

std::vector<model::Evidence> parse_errors(std::string_view log, std::string_view ptx) {
  std::vector<model::Evidence> errors;
  const auto lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size() && errors.size() < most_errors; ++i) {
    if (auto evidence = ptxas_error(lines[i], ptx)) {
      // The closing line of a list of errors says nothing new.
      if (errors.empty() || evidence->message.find("aborted due to errors") == std::string::npos) {
        errors.push_back(std::move(*evidence));
      }
      continue;
    }
    const auto found = front_end_error(lines[i]);
    if (!found) continue;
    model::Evidence evidence{"error", valid_utf8(found->message), valid_utf8(found->file), found->line, {}};
    // Below: the source line, a caret, and, for templates, the chain of instantiations.
    std::string context;
    for (std::size_t next = i + 1; next < lines.size() && !trimmed(lines[next]).empty(); ++next) {
      const std::string_view text = trimmed(lines[next]);
      if (text.starts_with("detected during") || !context.empty()) {
        context += (context.empty() ? "" : " ") + valid_utf8(text);
      } else if (next + 1 < lines.size() && trimmed(lines[next + 1]) == "^") {
        evidence.details.emplace_back("source", valid_utf8(text));
      }
    }
    if (!context.empty()) evidence.details.emplace_back("context", context.substr(0, 2000));
    errors.push_back(std::move(evidence));
  }
  return errors;
}

std::string reason_of(std::string_view log) {
  const auto has = [&](std::string_view text) { return log.find(text) != std::string_view::npos; };
  if (has("cannot open source file")) return "include_not_found";
  if (has("uses too much shared data")) return "too_much_shared_memory";
  for (const auto line : lines_of(log)) {
    if (ptxas_error(line, {})) return "ptxas_error";
  }
  return "source_error";
}

std::string stable_log(std::string_view log) {
  std::string kept;
  for (const std::string_view line : lines_of(log)) {
    if (line.starts_with("ptxas info") && line.find("Compile time =") != std::string_view::npos) continue;
    if (trimmed(line).empty() && (kept.empty() || kept.ends_with("\n\n"))) continue;
    kept.append(line).append("\n");
  }
  while (kept.ends_with("\n\n") || kept == "\n") kept.pop_back();
  return valid_utf8(kept);
}

std::string valid_utf8(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < result.size();) {
    const auto byte = static_cast<unsigned char>(result[i]);
    std::size_t length = byte < 0x80                   ? 1
                         : byte >= 0xc2 && byte < 0xe0 ? 2
                         : byte >= 0xe0 && byte < 0xf0 ? 3
                         : byte >= 0xf0 && byte < 0xf5 ? 4
                                                       : 0;
    bool valid = length > 0 && i + length <= result.size();
    for (std::size_t k = 1; valid && k < length; ++k)
      valid = (static_cast<unsigned char>(result[i + k]) & 0xc0) == 0x80;
    if (valid && length >= 3) {  // overlong forms, surrogates, beyond U+10FFFF
      const auto second = static_cast<unsigned char>(result[i + 1]);
      valid = !(byte == 0xe0 && second < 0xa0) && !(byte == 0xed && second >= 0xa0) &&
              !(byte == 0xf0 && second < 0x90) && !(byte == 0xf4 && second >= 0x90);
    }
    if (!valid) {
      result[i] = '?';
      length = 1;
    }
    i += length;
  }
  return result;
}

}  // namespace evo::evaluators::compile
