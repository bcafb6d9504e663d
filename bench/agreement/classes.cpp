#include "bench/agreement/classes.hpp"

#include <algorithm>
#include <array>

namespace evo::bench {
namespace {

std::string detail(const model::Evidence& evidence, std::string_view key) {
  for (const auto& [name, value] : evidence.details) {
    if (name == key) return value;
  }
  return {};
}

bool in_shared(const model::Evidence& evidence) {
  return detail(evidence, "space") == "shared" || evidence.message.find("shared") != std::string::npos;
}

}  // namespace

std::string class_of(const model::Evidence& evidence) {
  const std::string& kind = evidence.kind;
  if (kind == "race_shared" || kind == "race_global" || kind == "async_not_waited" || kind == "wgmma_fence" ||
      kind == "nc_of_written")
    return "race";
  const bool trespass = kind == "input_written" || kind == "gap_written";
  if (kind == "out_of_bounds" || kind == "misaligned" || trespass) return "bounds";
  if (kind == "uninitialized") return "uninit";
  if (kind == "barrier_divergence" || kind == "shuffle_mask" || kind == "hang") return "barrier";
  return "other";
}

std::set<std::string> classes_of(const std::vector<model::Evidence>& evidence) {
  std::set<std::string> classes;
  for (const model::Evidence& item : evidence) classes.insert(class_of(item));
  return classes;
}

std::string leading(const std::set<std::string>& classes) {
  for (const char* name : {"bounds", "barrier", "uninit", "race", "other"}) {
    if (classes.contains(name)) return name;
  }
  return "clean";
}

std::string blind_spot(const std::vector<model::Evidence>& evidence) {
  std::set<std::string> reasons;
  for (const model::Evidence& item : evidence) {
    if (item.kind == "uninitialized" && in_shared(item)) {
      reasons.insert("initcheck follows global memory, and these reads are of shared memory");
    } else if (item.kind == "race_global") {
      reasons.insert("racecheck follows shared memory, and this race is in global memory");
    } else if (item.kind == "incomplete_coverage") {
      reasons.insert("the gate also refuses what it could not run");
    } else {
      return {};
    }
  }
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

}  // namespace evo::bench
