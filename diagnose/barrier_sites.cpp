#include "diagnose/barrier_sites.hpp"

#include <algorithm>

#include "diagnose/tokens.hpp"
#include "source/barriers.hpp"

namespace evo::diagnose {

std::vector<BarrierSite> barriers_of(const std::string& source) {
  const SourceText text = read_source(source);
  const auto ordering = source::ordering_macros(source::tokens_of(source));
  std::vector<BarrierSite> sites;
  for (const Statement& statement : text.statements) {
    if (statement.kind != StatementKind::plain || statement.span.end <= statement.span.begin) continue;
    const Span span = statement.span;
    if (!source::is_barrier(text.tokens, span, ordering)) continue;
    BarrierSite site;
    site.line = text.tokens[span.begin].line;
    site.begin = text.tokens[span.begin].begin;
    site.end = text.tokens[span.end - 1].end();
    site.text = source.substr(site.begin, site.end - site.begin);
    sites.push_back(std::move(site));
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
