#include "diagnose/barrier_sites.hpp"

#include <algorithm>
#include <set>

#include "diagnose/tokens.hpp"
#include "source/barriers.hpp"

namespace evo::diagnose {

namespace {

BarrierSite site_of(const std::string& source, const std::vector<source::Token>& tokens, source::Span span) {
  BarrierSite site;
  site.line = tokens[span.begin].line;
  site.begin = tokens[span.begin].begin;
  site.end = tokens[span.end - 1].end();
  site.text = source.substr(site.begin, site.end - site.begin);
  return site;
}

/// Barriers among the statements of macros that do more: #define STEP(i) x[i] += 1; __syncthreads(). A macro
/// that is a barrier is one where it stands.
void add_sites_of_macros(const std::string& source, const std::set<std::string>& ordering,
                         std::vector<BarrierSite>& sites) {
  const std::vector<source::Token> tokens = source::tokens_of(source);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!tokens[i].directive || !tokens[i].first || !tokens[i + 1].is("define")) continue;
    std::size_t begin = i + 3, end = begin;
    while (end < tokens.size() && tokens[end].directive && !tokens[end].first) ++end;
    if (ordering.contains(tokens[i + 2].text)) continue;
    if (begin < end && tokens[begin].is("(") && tokens[begin].begin == tokens[i + 2].end())
      begin = source::closing(tokens, begin) + 1;
    // Statements end at semicolons and braces; what an if or a loop stands in front of is not looked into.
    for (std::size_t first = begin; first < end; ++first) {
      if (tokens[first].is(";") || tokens[first].is("{") || tokens[first].is("}") || tokens[first].is("do"))
        continue;
      std::size_t last = first;
      while (last < end && !tokens[last].is(";") && !tokens[last].is("{") && !tokens[last].is("}"))
        last = tokens[last].is("(") ? std::min(source::closing(tokens, last) + 1, end) : last + 1;
      if (source::is_barrier(tokens, {first, last}, ordering))
        sites.push_back(site_of(source, tokens, {first, last}));
      first = last;
    }
  }
}

}  // namespace

std::vector<BarrierSite> barriers_of(const std::string& source) {
  const SourceText text = read_source(source);
  const auto ordering = source::ordering_macros(source::tokens_of(source));
  std::vector<BarrierSite> sites;
  add_sites_of_macros(source, ordering, sites);
  for (const Statement& statement : text.statements) {
    if (statement.kind != StatementKind::plain || statement.span.end <= statement.span.begin) continue;
    const Span span = statement.span;
    if (!source::is_barrier(text.tokens, span, ordering)) continue;
    sites.push_back(site_of(source, text.tokens, span));
  }
  std::sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return sites;
}

std::string without(const std::string& source, const BarrierSite& site) {
  std::string text = source;
  // Lines stay lines.
  std::string blank = text.substr(site.begin, site.end - site.begin);
  for (char& c : blank) c = c == '\n' ? '\n' : ' ';
  return text.replace(site.begin, site.end - site.begin, blank);
}

}  // namespace evo::diagnose
