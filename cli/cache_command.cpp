// evo cache
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "evaluators/compile/cache.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {

int cache_command(const Options& options) {
  evaluators::compile::ArtifactCache cache(evaluators::compile::ArtifactCache::default_folder());
  if (options.cache.clear) cache.clear();
  const auto stats = cache.stats();
  if (options.common.json) {
    terminal::print_json(boost::json::object{{"folder", cache.folder().string()},
                                             {"entries", stats.entries},
                                             {"bytes", stats.bytes},
                                             {"cap_bytes", stats.cap_bytes}});
  } else {
    fmt::print("{}: {} artifacts, {:.1f} of {} MiB\n", cache.folder().string(), stats.entries,
               static_cast<double>(stats.bytes) / (1 << 20), stats.cap_bytes >> 20);
  }
  return 0;
}

}  // namespace evo::cli
