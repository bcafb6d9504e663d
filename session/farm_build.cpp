#include "session/farm_build.hpp"

#include <algorithm>
#include <array>

#include <gnu/libc-version.h>
#include <unistd.h>

#include <fmt/format.h>

#include "session/version.hpp"

namespace evo::session {

farm::Build farm_build() {
  // Another libm or compiler may round a reference's last bit otherwise.
  const std::string sources = source_id();
  return {sources.empty() ? version_number() : fmt::format("{} (sources {})", version_number(), sources),
          fmt::format("g++ {}.{}, glibc {}", __GNUC__, __GNUC_MINOR__, ::gnu_get_libc_version()), "virtual"};
}

farm::Build farm_build(const evaluators::devices::DeviceInfo& device) {
  farm::Build build = farm_build();
  if (device.kind == "virtual") return build;
  build.toolchain += ", driver " + device.driver;
  build.device = device.name;
  return build;
}

std::string farm_name() {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"host"};
  std::string name = std::string(host.data()).substr(0, 48);
  std::ranges::replace_if(
      name, [](char c) { return !farm::is_plain_name(std::string_view(&c, 1)); }, '-');
  return fmt::format("{}-{}", name, ::getpid());
}

}  // namespace evo::session
