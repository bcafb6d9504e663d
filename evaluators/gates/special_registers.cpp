#include "evaluators/gates/special_registers.hpp"

#include <algorithm>
#include <array>

namespace evo::evaluators::gates {
namespace {

constexpr std::array<std::string_view, 24> fixed{"%tid",
                                                 "%ntid",
                                                 "%ctaid",
                                                 "%nctaid",
                                                 "%laneid",
                                                 "%lanemask_eq",
                                                 "%lanemask_le",
                                                 "%lanemask_lt",
                                                 "%lanemask_ge",
                                                 "%lanemask_gt",
                                                 "%clusterid",
                                                 "%nclusterid",
                                                 "%cluster_ctaid",
                                                 "%cluster_nctaid",
                                                 "%cluster_ctarank",
                                                 "%cluster_nctarank",
                                                 "%is_explicit_cluster",
                                                 "%dynamic_smem_size",
                                                 "%total_smem_size",
                                                 "%aggr_smem_size",
                                                 "%reserved_smem_offset_begin",
                                                 "%reserved_smem_offset_end",
                                                 "%reserved_smem_offset_cap",
                                                 "%reserved_smem_offset_0"};
// Cooperative groups keep their barriers behind it.
constexpr std::string_view reserved_1 = "%reserved_smem_offset_1";

constexpr std::array<std::string_view, 12> machine{
    "%clock",  "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
    "%gridid", "%smid",     "%nsmid",   "%warpid",      "%nwarpid",        "%current_graph_exec"};

bool numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  name.remove_prefix(prefix.size());
  if (name.ends_with("_64")) name.remove_suffix(3);
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool fixed_by_the_launch(std::string_view name) {
  return name == reserved_1 || std::find(fixed.begin(), fixed.end(), name) != fixed.end();
}

bool told_by_the_machine(std::string_view name) {
  return std::find(machine.begin(), machine.end(), name) != machine.end() || numbered(name, "%pm") ||
         numbered(name, "%envreg");
}

}  // namespace evo::evaluators::gates
