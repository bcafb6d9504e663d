#include "farm/gpu.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "farm/sign_fields.hpp"

namespace evo::farm {
namespace {

namespace json = boost::json;

/// Of one worker: no more count, whatever it says.
constexpr std::int64_t most_threads = 256;

}  // namespace

json::object to_json(const Gpu& gpu) {
  return {{"evo", gpu.build.evo},  {"toolchain", gpu.build.toolchain}, {"name", gpu.info.name},
          {"arch", gpu.info.arch}, {"driver", gpu.info.driver},        {"l2_bytes", gpu.info.l2_bytes},
          {"threads", gpu.threads}};
}

std::optional<Gpu> gpu_from(const json::value& of_worker) {
  if (!of_worker.is_object()) return std::nullopt;
  const json::object& object = of_worker.as_object();
  Gpu gpu;
  gpu.info.kind = "cuda";
  gpu.info.name = text_in(object, "name");
  gpu.info.arch = text_in(object, "arch");
  gpu.info.driver = text_in(object, "driver");
  gpu.info.l2_bytes = std::clamp<std::int64_t>(number_in(object, "l2_bytes"), 0, std::int64_t{1} << 40);
  gpu.build = {text_in(object, "evo"), text_in(object, "toolchain"), gpu.info.name};
  gpu.threads = static_cast<int>(std::clamp<std::int64_t>(number_in(object, "threads"), 0, most_threads));
  constexpr std::size_t longest_arch = 8;  // sm_120a
  if (gpu.info.name.empty() || gpu.info.arch.empty() || gpu.info.arch.size() > longest_arch ||
      gpu.threads == 0)
    return std::nullopt;
  return gpu;
}

}  // namespace evo::farm
