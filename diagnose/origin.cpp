#include "diagnose/origin.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "diagnose/reduce.hpp"
#include "diagnose/source_text.hpp"
#include "diagnose/tokens.hpp"

namespace evo::diagnose {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 24;

/// Pairs of lines that both texts have, in order: a longest common subsequence of the middle parts.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::string>& a,
                                                              const std::vector<std::string>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::size_t start = 0, end_a = a.size(), end_b = b.size();
  while (start < end_a && start < end_b && a[start] == b[start]) {
    pairs.emplace_back(start, start);
    ++start;
  }
  while (end_a > start && end_b > start && a[end_a - 1] == b[end_b - 1]) {
    --end_a;
    --end_b;
  }
  const std::size_t rows = end_a - start, columns = end_b - start;
  if (rows * columns > 0 && rows * columns <= most_cells) {
    std::vector<std::uint32_t> length((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
      return length[i * (columns + 1) + j];
    };
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        at(i, j) = a[start + i] == b[start + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (a[start + i] == b[start + j]) {
        pairs.emplace_back(start + i++, start + j++);
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  for (std::size_t i = 0; end_a + i < a.size(); ++i) pairs.emplace_back(end_a + i, end_b + i);
  return pairs;
}

std::string first_line(const std::vector<std::string>& lines) {
  if (lines.empty()) return "nothing";
  const std::string& line = lines.front();
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  std::string text = fmt::format("`{}`", line.substr(begin));
  if (lines.size() > 1) text += fmt::format(" and {} more", lines.size() - 1);
  return text;
}

std::vector<Edit> responsible_edits(Lab& lab, const Failing& failing, Origin& origin) {
  const Subject& subject = lab.subject();
  const std::string& known = *subject.known_source;
  const auto fails_with = [&](const std::string& source) {
    if (lab.expired()) return false;
    const Observation seen = lab.observe({source, subject.candidate.genome}, failing.setup);
    return seen.failed() && same_kind(*seen.failure, *failing.seen.failure);
  };
  if (lab.expired()) return {};
  const Observation before = lab.observe({known, subject.candidate.genome}, failing.setup);
  if (before.failed()) {
    origin.known_source_fails = same_kind(*before.failure, *failing.seen.failure);
    return {};
  }
  constexpr int budget = 12;
  const std::function<bool(const std::vector<Edit>&)> fails = [&](const std::vector<Edit>& edits) {
    return fails_with(apply_edits(known, edits));
  };
  std::vector<Edit> edits = ddmin(line_edits(known, subject.candidate.source), fails, budget);
  // What replaces most of the text says no more than that the texts differ.
  std::size_t replaced = 0;
  for (const Edit& edit : edits) replaced += std::max(edit.added.size(), edit.removed.size());
  const std::size_t all = lines_of(subject.candidate.source).size();
  if (replaced > 3 && 3 * replaced > all) return {};
  return edits;
}

std::vector<GeneChange> responsible_genes(Lab& lab, const Failing& failing, Origin& origin) {
  const Subject& subject = lab.subject();
  const model::Genome& known = *subject.known_genome;
  std::vector<GeneChange> changes;
  for (const model::Gene& gene : subject.space.genes()) {
    const model::Value& now = subject.candidate.genome.at(gene.name);
    if (now == known.at(gene.name)) continue;
    changes.push_back({gene.name, model::to_string(known.at(gene.name)), model::to_string(now),
                       gene.role == model::GeneRole::sync});
  }
  if (changes.empty() || lab.expired()) return {};
  const Observation before = lab.observe({subject.candidate.source, known}, failing.setup);
  if (before.failed()) {
    origin.known_genome_fails = true;
    return {};
  }
  constexpr int budget = 16;
  const std::function<bool(const std::vector<GeneChange>&)> fails = [&](const std::vector<GeneChange>& kept) {
    if (lab.expired()) return false;
    model::Genome genome = known;
    for (const GeneChange& change : kept) genome.set(change.gene, subject.candidate.genome.at(change.gene));
    if (!subject.violation && !subject.space.legal(genome)) return false;
    const Observation seen = lab.observe({subject.candidate.source, genome}, failing.setup);
    return seen.failed() && same_kind(*seen.failure, *failing.seen.failure);
  };
  return ddmin(changes, fails, budget);
}

}  // namespace

std::string Edit::text() const {
  return fmt::format("line {}: was {}, now {}", line, first_line(removed), first_line(added));
}

std::vector<Edit> line_edits(const std::string& known, const std::string& diagnosed) {
  const std::vector<std::string> a = lines_of(known), b = lines_of(diagnosed);
  std::vector<std::pair<std::size_t, std::size_t>> pairs = common_lines(a, b);
  pairs.emplace_back(a.size(), b.size());
  std::vector<Edit> edits;
  std::size_t i = 0, j = 0;
  for (const auto& [next_a, next_b] : pairs) {
    if (next_a > i || next_b > j) {
      Edit edit;
      edit.line = static_cast<int>(j) + 1;
      edit.known_line = static_cast<int>(i) + 1;
      edit.removed.assign(a.begin() + static_cast<std::ptrdiff_t>(i),
                          a.begin() + static_cast<std::ptrdiff_t>(next_a));
      edit.added.assign(b.begin() + static_cast<std::ptrdiff_t>(j),
                        b.begin() + static_cast<std::ptrdiff_t>(next_b));
      edits.push_back(std::move(edit));
    }
    i = next_a + 1;
    j = next_b + 1;
  }
  return edits;
}

std::string apply_edits(const std::string& known, const std::vector<Edit>& edits) {
  const std::vector<std::string> lines = lines_of(known);
  std::string text;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t end) {
    for (; at < end; ++at) text += lines[at] + "\n";
  };
  for (const Edit& edit : edits) {
    copy_to(static_cast<std::size_t>(edit.known_line - 1));
    for (const std::string& line : edit.added) text += line + "\n";
    at += edit.removed.size();
  }
  copy_to(lines.size());
  return text;
}

double similarity(const std::string& a, const std::string& b) {
  constexpr std::size_t run = 4;
  const auto runs_of = [](const std::string& text) {
    std::map<std::string, int> runs;
    const std::vector<Token> tokens = tokens_of(text);
    for (std::size_t i = 0; i + run <= tokens.size(); ++i) {
      std::string key;
      for (std::size_t t = i; t < i + run; ++t) key += tokens[t].text + ' ';
      ++runs[key];
    }
    return runs;
  };
  const auto one = runs_of(a), other = runs_of(b);
  int all = 0, common = 0;
  for (const auto& [key, count] : one) {
    all += count;
    const auto found = other.find(key);
    if (found != other.end()) common += std::min(count, found->second);
  }
  for (const auto& [key, count] : other) all += count;
  return all == 0 ? (a == b ? 1 : 0) : 2.0 * common / all;
}

Origin find_origin(Lab& lab, const Failing& failing) {
  Origin origin;
  const auto& known = lab.subject().known_source;
  if (known && similarity(*known, lab.subject().candidate.source) >= edit_similarity)
    origin.edits = responsible_edits(lab, failing, origin);
  if (lab.subject().known_genome && origin.edits.empty())
    origin.genes = responsible_genes(lab, failing, origin);
  return origin;
}

}  // namespace evo::diagnose
