#include "report/barrier_claims_output.hpp"

#include <fmt/format.h>

#include "session/insight_summary.hpp"

namespace evo::report {
namespace {

/// Every gate has judged the variant without the barrier.
constexpr auto shown_by_gates = session::CheckStatus::confirmed;

}  // namespace

boost::json::array barrier_claims_json(const std::vector<engine::BarrierClaim>& claims) {
  boost::json::array list;
  for (const engine::BarrierClaim& claim : claims) {
    list.push_back(boost::json::object{{"template", claim.template_name},
                                       {"line", claim.line > 0 ? boost::json::value(claim.line) : nullptr},
                                       {"text", claim.text},
                                       {"anchor", claim.anchor},
                                       {"needed", claim.needed},
                                       {"status", std::string(name_of(shown_by_gates))},
                                       {"reason", claim.reason},
                                       {"trial", claim.trial},
                                       {"variants_without", claim.without}});
  }
  return list;
}

std::string barrier_claims_text(const std::vector<engine::BarrierClaim>& claims) {
  if (claims.empty()) return {};
  std::string text = "barriers that a variant did without\n";
  for (const engine::BarrierClaim& claim : claims) {
    const std::string place =
        claim.line > 0 ? fmt::format("line {}: {}", claim.line, claim.text) : claim.anchor;
    text += claim.needed
                ? fmt::format("  {:<44} needed: {} without it (trial {})\n", place, claim.reason, claim.trial)
                : fmt::format(
                      "  {:<44} not needed on anything executed: {} variant{} passed every gate without it "
                      "(trial {})\n",
                      place, claim.without, claim.without == 1 ? "" : "s", claim.trial);
  }
  return text;
}

}  // namespace evo::report
