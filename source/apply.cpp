#include "source/apply.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "source/line_edits.hpp"
#include "source/text_gene.hpp"

namespace evo::source {
namespace {

/// Bytes [begin, end) become `text`.
struct Change {
  std::size_t begin = 0, end = 0;
  std::string text;
  std::size_t order = 0;
};

/// Blank, with the lines that were there.
std::string lines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

class Work {
 public:
  explicit Work(const Program& program) : program_(program), text_(program.text) {}

  /// The changes of one edit; nullopt where it does not apply.
  [[nodiscard]] std::optional<std::vector<Change>> changes(const Edit& edit) const {
    std::string_view payload = edit.payload;
    const auto word = [&] {
      const std::string_view head = payload.substr(0, payload.find(' '));
      payload.remove_prefix(std::min(payload.size(), head.size() + 1));
      return head;
    };
    // A line more would move the lines of findings.
    if (payload.find('\n') != std::string_view::npos) return std::nullopt;
    if (const auto gene = gene_of(edit)) return declaration(edit, *gene);
    if (edit.anchor.starts_with('@')) {
      auto lines = line_change(text_, edit);
      if (!lines) return std::nullopt;
      return std::vector{Change{lines->begin, lines->end, std::move(lines->text)}};
    }
    const std::string_view action = word();
    if (edit.anchor.find('/') == std::string::npos) return of_function(edit, action, payload);
    const std::size_t index = node_at(program_, edit.anchor);
    if (index == none) return std::nullopt;
    const Node& node = program_.nodes[index];
    if (action == "before" || action == "after") return insertion(index, action == "before", payload);
    if (!node.clean) return std::nullopt;
    if (action == "delete") return std::vector{instead(index, ";")};
    if (action == "replace") return std::vector{instead(index, payload)};
    if (action == "head" && node.head.end > node.head.begin) return std::vector{over(node.head, payload)};
    if (action == "pragma") return pragma(index, payload);
    if (action == "move" || action == "copy") {
      const std::string_view side = word();
      const std::size_t target = node_at(program_, payload);
      if (target == none || inside(target, index)) return std::nullopt;
      auto list = insertion(target, side == "before", program_.flat(node.span));
      if (list && action == "move") list->push_back(instead(index, ";"));
      return list;
    }
    if (action == "swap") {
      const std::size_t other = node_at(program_, payload);
      if (other == none || other == index || !program_.nodes[other].clean) return std::nullopt;
      if (inside(other, index) || inside(index, other)) return std::nullopt;
      return std::vector{instead(index, program_.flat(program_.nodes[other].span)),
                         instead(other, program_.flat(node.span))};
    }
    return std::nullopt;
  }

 private:
  /// The gene as a macro in front of everything, and what its edit does with it.
  [[nodiscard]] std::optional<std::vector<Change>> declaration(const Edit& edit, const TextGene& gene) const {
    auto list = std::optional(std::vector<Change>());
    if (!gene.action.empty()) list = changes({edit.operation, edit.anchor, gene.action});
    if (!list || (gene.action.empty() && edit.anchor != gene_anchor(gene.name))) return std::nullopt;
    std::string line = "#define " + gene.name + " " + std::to_string(gene.value) + "\n";
    // A text without macros in front says nowhere where its lines begin.
    if (text_begin(text_) == 0) line += "#line 1\n";
    list->push_back({0, 0, std::move(line)});
    return list;
  }
  /// Is `node` below `around`, or itself?
  [[nodiscard]] bool inside(std::size_t node, std::size_t around) const {
    for (; node != none; node = program_.nodes[node].parent) {
      if (node == around) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t begin_of(const Node& node) const {
    return node.pragma != none ? node.pragma : program_.first(node).begin;
  }
  [[nodiscard]] Change replaced(std::size_t begin, std::size_t end, std::string_view text) const {
    return {begin, end, std::string(text) + lines_of(std::string_view(text_).substr(begin, end - begin))};
  }
  [[nodiscard]] Change instead(std::size_t index, std::string_view text) const {
    const Node& node = program_.nodes[index];
    return replaced(begin_of(node), program_.last(node).end(), text);
  }
  [[nodiscard]] Change over(Span span, std::string_view text) const {
    const std::size_t begin = program_.tokens[span.begin].begin;
    return replaced(begin, program_.tokens[span.end - 1].end(), text);
  }

  [[nodiscard]] std::optional<std::vector<Change>> insertion(std::size_t index, bool before,
                                                             std::string_view text) const {
    const Node& node = program_.nodes[index];
    if (node.parent == none || program_.nodes[node.parent].kind != NodeKind::block) return std::nullopt;
    if (!before) {
      const std::size_t at = program_.last(node).end();
      return std::vector{Change{at, at, " " + std::string(text)}};
    }
    if (node.pragma == none) {
      const std::size_t at = program_.first(node).begin;
      return std::vector{Change{at, at, std::string(text) + " "}};
    }
    // Text before a pragma would end its line.
    const std::size_t at = program_.tokens[node.span.begin - 1].end();
    if (at > node.pragma) {
      const std::size_t here = node.pragma;
      return std::vector{Change{here, here, std::string(text) + " "}};
    }
    return std::vector{Change{at, at, " " + std::string(text)}};
  }

  [[nodiscard]] std::optional<std::vector<Change>> pragma(std::size_t index, std::string_view text) const {
    const Node& node = program_.nodes[index];
    if (node.kind != NodeKind::loop) return std::nullopt;
    const std::string word = "_Pragma(\"" + std::string(text) + "\") ";
    const std::size_t first = program_.first(node).begin;
    const std::size_t begin = begin_of(node);
    Change change = replaced(begin, first, {});
    // The lines first: the pragma stands in front of its loop.
    change.text += word;
    return std::vector{std::move(change)};
  }

  /// "16 NAME": the number in the function's body, and the one above it where it stands alone in
  /// brackets: mostly the size of a padded row.
  [[nodiscard]] std::optional<std::vector<Change>> literal(const Function& function,
                                                           std::string_view payload) const {
    const std::size_t space = payload.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const std::string number(payload.substr(0, space)), name(payload.substr(space + 1));
    const std::string padded = std::to_string(std::atoll(number.c_str()) + 1);
    const Span span = program_.nodes[function.body].span;
    std::vector<Change> list;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const Token& token = program_.tokens[i];
      if (token.kind != TokenKind::number) continue;
      if (token.is(number)) list.push_back({token.begin, token.end(), name});
      const bool size = i > span.begin && i + 1 < span.end && program_.tokens[i - 1].is("[") &&
                        program_.tokens[i + 1].is("]");
      if (token.is(padded) && size) list.push_back({token.begin, token.end(), "(" + name + " + 1)"});
    }
    if (list.empty()) return std::nullopt;
    return list;
  }

  [[nodiscard]] std::optional<std::vector<Change>> of_function(const Edit& edit, std::string_view action,
                                                               std::string_view payload) const {
    const std::size_t index = function_at(program_, edit.anchor);
    if (index == none) return std::nullopt;
    const Function& function = program_.functions[index];
    if (action == "head" && function.head.end > function.head.begin)
      return std::vector{over(function.head, payload)};
    if (action == "literal") return literal(function, payload);
    if (action != "bounds") return std::nullopt;
    const std::string_view kind = payload.substr(0, payload.find('('));
    for (std::size_t i = function.begin; i < function.name_token; ++i) {
      if (!program_.tokens[i].is(kind)) continue;
      const std::size_t close = closing(program_.tokens, i + 1);
      if (close >= function.name_token) return std::nullopt;
      return std::vector{over({i, close + 1}, payload)};
    }
    const std::size_t at = program_.tokens[function.name_token].begin;
    return std::vector{Change{at, at, std::string(payload) + " "}};
  }

  const Program& program_;
  const std::string& text_;
};

bool overlap(const Change& a, const Change& b) {
  // Insertions at one place stand side by side; one at the edge of what is replaced, too.
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

Edited apply_edits(const Program& program, const Edits& edits) {
  Edited result;
  const Work work(program);
  std::vector<Change> changes;
  std::set<std::string> genes;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    auto more = work.changes(edits[i]);
    const auto gene = gene_of(edits[i]);
    const bool clash = !more || (gene && genes.contains(gene->name)) ||
                       std::any_of(more->begin(), more->end(), [&](const Change& one) {
                         return std::any_of(changes.begin(), changes.end(),
                                            [&](const Change& other) { return overlap(one, other); });
                       });
    if (clash) {
      result.dropped.push_back(i);
      continue;
    }
    if (gene) genes.insert(gene->name);
    for (Change& change : *more) {
      change.order = changes.size();
      changes.push_back(std::move(change));
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.begin, a.end != a.begin) < std::pair(b.begin, b.end != b.begin) ||
           (a.begin == b.begin && (a.end != a.begin) == (b.end != b.begin) && a.order < b.order);
  });
  std::size_t at = 0;
  for (const Change& change : changes) {
    result.text += program.text.substr(at, change.begin - at) + change.text;
    at = change.end;
  }
  result.text += program.text.substr(at);
  return result;
}

Edited apply_edits(const std::string& text, const Edits& edits) {
  return apply_edits(read_program(text), edits);
}

bool applies(const Program& program, const Edits& edits) {
  return apply_edits(program, edits).dropped.empty();
}

}  // namespace evo::source
