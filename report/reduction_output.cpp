#include "report/reduction_output.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/edits.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

json::value value_json(const model::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return json::value(std::get<std::string>(value));
}

/// Of the reduced one over the champion; nullopt where they were not compared.
std::optional<double> ratio_of(const session::Reduction& reduction) {
  if (!reduction.against_champion) return std::nullopt;
  const double ratio = reduction.against_champion->ratio().ratio;
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

}  // namespace

std::string reduction_text(const std::optional<session::Reduction>& found) {
  if (!found) return {};
  if (!found->stands())
    return fmt::format("not reduced: {} stays, {} instead: {}\n", found->champion,
                       model::change_text(found->was, found->back), found->refused);
  std::string text =
      fmt::format("reduced    {} of what the search found, {}; went back: {}\n", found->trial.variant,
                  found->champion, model::change_text(found->was, found->back));
  if (const auto ratio = ratio_of(*found)) {
    const session::FinalVerdict& verdict = *found->against_champion;
    text += fmt::format("  {}: {:.4f}x its latency ({}{}), and proven as a champion is\n",
                        session::name_of(verdict.decision()), *ratio, model::name_of(verdict.kind),
                        verdict.kind == model::LatencyKind::measured
                            ? fmt::format(", {} pairs in turn", verdict.pairs())
                            : ", exact");
  }
  return text;
}

json::value reduction_json(const std::optional<session::Reduction>& found) {
  if (!found) return nullptr;
  json::object genes;
  for (const auto& [gene, value] : found->back)
    genes[gene] = {{"was", value_json(found->was.at(gene))}, {"now", value_json(value)}};
  const auto ratio = ratio_of(*found);
  return json::object{
      {"variant", found->trial.variant},
      {"from", found->champion},
      {"stands", found->stands()},
      {"refused", found->refused},
      {"genes", std::move(genes)},
      {"ratio", ratio ? json::value(*ratio) : json::value(nullptr)},
      {"decision", found->against_champion
                       ? json::value(std::string(session::name_of(found->against_champion->decision())))
                       : json::value(nullptr)}};
}

}  // namespace evo::report
