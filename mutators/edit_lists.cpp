#include "mutators/edit_lists.hpp"

#include <algorithm>
#include <functional>

#include "model/hash.hpp"
#include "source/text_gene.hpp"

namespace evo::mutators {
namespace {

/// A gene of one name with two values is none.
bool declares_the_same(const source::Edits& edits, const source::Edit& edit) {
  const auto gene = source::gene_of(edit);
  return gene && std::ranges::any_of(edits, [&](const source::Edit& other) {
           const auto known = source::gene_of(other);
           return known && known->name == gene->name;
         });
}

bool has(const source::Edits& edits, const source::Edit& edit) {
  return std::ranges::find(edits, edit) != edits.end();
}

source::Edits crossed_by(const source::Edits& a, const source::Edits& b,
                         const std::function<bool(const source::Edit&)>& takes) {
  source::Edits result;
  for (const source::Edit& edit : a) {
    if (has(b, edit) || takes(edit)) result.push_back(edit);
  }
  for (const source::Edit& edit : b) {
    if (!has(a, edit) && takes(edit) && !declares_the_same(result, edit)) result.push_back(edit);
  }
  return result;
}

/// What an edit does, without the gene that it may bring.
std::string_view action_of(std::string_view payload) {
  constexpr std::string_view gene = "gene ", then = " then ";
  if (payload.starts_with(gene)) {
    const std::size_t at = payload.find(then);
    payload = at == std::string_view::npos ? payload : payload.substr(at + then.size());
  }
  return payload.substr(0, payload.find(' '));
}

/// Do both change the same part of one place? A statement's pragma and the statement are two parts, a
/// kernel's parameters, its bounds and its numbers three.
bool excludes(const source::Edit& a, const source::Edit& b) {
  if (a.anchor != b.anchor) return false;
  const std::string_view of_a = action_of(a.payload), of_b = action_of(b.payload);
  if (of_a == "before" || of_a == "after" || of_b == "before" || of_b == "after") return false;
  if (of_a == "literal" && of_b == "literal") {
    const auto gene_a = source::gene_of(a), gene_b = source::gene_of(b);
    return gene_a && gene_b && gene_a->name == gene_b->name;
  }
  const auto is_part = [](std::string_view word) {
    return word == "head" || word == "bounds" || word == "literal" || word == "pragma";
  };
  return of_a == of_b || !is_part(of_a) || !is_part(of_b);
}

}  // namespace

std::optional<source::Edits> with_change(source::Edits edits, const source::Edits& change) {
  // A part of it that is there already belongs to a change that the rest would take apart.
  if (std::ranges::any_of(change, [&](const source::Edit& edit) { return has(edits, edit); }))
    return std::nullopt;
  for (const source::Edit& edit : change) {
    // Of two edits of one place that cannot both be the newer one stays.
    std::erase_if(edits, [&](const source::Edit& old) { return excludes(old, edit); });
    edits.push_back(edit);
  }
  return edits;
}

source::Edits crossed(const source::Edits& a, const source::Edits& b, model::RandomStream& random) {
  return crossed_by(a, b, [&](const source::Edit&) { return random.chance(0.5); });
}

source::Edits crossed(const source::Edits& a, const source::Edits& b, std::string_view salt) {
  return crossed_by(a, b, [&](const source::Edit& edit) {
    const std::string hash = model::sha256(std::string(salt) + source::text_of(edit));
    return hash.front() < '8';
  });
}

std::vector<source::Edits> smaller_lists(const source::Edits& edits) {
  std::vector<source::Edits> lists;
  const auto add = [&](source::Edits list) {
    if (list.size() < edits.size() && std::ranges::find(lists, list) == lists.end())
      lists.push_back(std::move(list));
  };
  if (edits.empty()) return lists;
  add({});
  for (std::size_t parts = 2; parts / 2 < edits.size(); parts *= 2) {
    const std::size_t count = std::min(parts, edits.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(i * edits.size() / count);
      const auto end = static_cast<std::ptrdiff_t>((i + 1) * edits.size() / count);
      source::Edits without = edits;
      without.erase(without.begin() + begin, without.begin() + end);
      if (count == 2) add(source::Edits(edits.begin() + begin, edits.begin() + end));
      add(std::move(without));
    }
  }
  return lists;
}

bool is_part_of(const source::Edits& part, const source::Edits& whole) {
  return part.size() < whole.size() &&
         std::ranges::all_of(part, [&](const source::Edit& edit) { return has(whole, edit); });
}

}  // namespace evo::mutators
