// What a launch left behind, in buffers and in the zones around them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "evaluators/devices/cuda/buffer_parts.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/devices/cuda/device_state.hpp"
#include "evaluators/devices/cuda/digest.hpp"
#include "evaluators/devices/cuda/kept_variables.hpp"

namespace evo::evaluators::cuda {

using devices::Outcome;

namespace {

/// `first`: where the zone starts in the allocation.
model::Evidence guard_evidence(const std::string& name, const GuardedLayout& layout, std::uint64_t first,
                               const GuardDamage& damage) {
  const std::int64_t offset =
      static_cast<std::int64_t>(first + damage.offset) - static_cast<std::int64_t>(layout.front);
  return {
      "guard_overwritten",
      fmt::format("{} bytes {} buffer {} ({} bytes) were changed, the first at byte offset {} from its base",
                  damage.count, first == 0 ? "before" : "after", name, layout.bytes, offset),
      {},
      0,
      {{"buffer", name},
       {"offset", std::to_string(offset)},
       {"bytes_changed", std::to_string(damage.count)}}};
}

/// A piece that is not copied if its digest is the one that is known.
struct Unchanged {
  std::size_t piece = 0;  ///< of those that were asked for
  std::uint64_t known = 0;
};

/// A copy of a guard zone, and what is needed to tell whether it is as it was.
struct Zone {
  std::string name;
  GuardedLayout layout;
  devices::BufferId id = 0;
  std::uint64_t first = 0;  ///< bytes into the allocation
  devices::HostBytes copy;
};

/// Copies of a module's variable and of what it has to hold.
struct Left {
  model::KeptVariable variable;
  devices::HostBytes now, original;
};

Outcome<void> check_variables(const std::vector<Left>& all) {
  for (const Left& one : all) {
    if (!std::ranges::equal(one.now.span(), one.original.span())) {
      return tl::unexpected(left_otherwise(one.variable,
                                           "the launch leaves the module's variable {} other than it found "
                                           "it, so that the next one knows of it"));
    }
  }
  return {};
}

Outcome<void> check_zones(const std::vector<Zone>& zones) {
  model::Failure failure{model::Status::wrong, "guard_overwritten", {}};
  for (const Zone& zone : zones) {
    if (const auto damage = find_damage(zone.copy.span(), zone.first, zone.id))
      failure.evidence.push_back(guard_evidence(zone.name, zone.layout, zone.first, *damage));
  }
  if (!failure.evidence.empty()) return tl::unexpected(std::move(failure));
  return {};
}

}  // namespace

Outcome<void> CudaDevice::read(devices::BufferId id, std::span<std::byte> bytes) {
  if (auto settled = state_->settle(); !settled) return settled;
  const State::Buffer& buffer = state_->buffer(id);
  if (bytes.size() > contents_of(buffer))
    throw std::logic_error("read past the end of buffer " + buffer.name);
  if (bytes.empty()) return {};
  const std::string action = "reading " + buffer.name;
  if (auto back = state_->bring_back_surfaces(buffer); !back) return back;
  auto copied = for_parts(buffer, bytes, [&](CUdeviceptr address, std::span<std::byte> piece) {
    return state_->check(
        state_->driver().copy_to_host(piece.data(), address, piece.size(), state_->context->stream()),
        action);
  });
  if (!copied) return copied;
  return state_->drain(action);
}

Outcome<devices::Contents> CudaDevice::read_with_guards(std::span<const devices::BufferPiece> wanted) {
  return read_contents(wanted, true);
}

Outcome<devices::Contents> CudaDevice::read_pieces(std::span<const devices::BufferPiece> wanted) {
  return read_contents(wanted, false);
}

// Everything is put into the stream and awaited once. A buffer and its zones are one stretch of memory, and
// one copy of it takes no longer than three.
Outcome<devices::Contents> CudaDevice::read_contents(std::span<const devices::BufferPiece> wanted,
                                                     bool with_guards) {
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  const std::string action = "reading what the launch left";
  std::vector<Zone> zones;
  const auto copy = [&](CUdeviceptr from, std::uint64_t bytes) -> Outcome<devices::HostBytes> {
    devices::HostBytes to = host_bytes(bytes);
    if (bytes == 0) return to;
    const CUresult result =
        state_->driver().copy_to_host(to.span().data(), from, bytes, state_->context->stream());
    if (auto ok = state_->check(result, action); !ok) return tl::unexpected(ok.error());
    return to;
  };
  devices::Contents contents;
  std::map<devices::BufferId, devices::HostBytes> whole;
  std::vector<Unchanged> unchanged;
  for (const devices::BufferPiece& piece : wanted) {
    const State::Buffer& buffer = state_->buffer(piece.buffer);
    if (piece.bytes > contents_of(buffer))
      throw std::logic_error("read past the end of buffer " + buffer.name);
    if (auto back = state_->bring_back_surfaces(buffer); !back) return tl::unexpected(back.error());
    if (piece.unchanged && buffer.parts.empty() && unchanged.size() < HelperKernels::most_digests) {
      HelperKernels& helpers = state_->context->helpers();
      const CUstream stream = state_->context->stream();
      if (unchanged.empty()) {
        if (auto ok = state_->check(helpers.clear_digests(stream), action); !ok)
          return tl::unexpected(ok.error());
      }
      const CUresult made =
          helpers.digest(buffer.base(), piece.bytes, digest_key(), unchanged.size(), stream);
      if (auto ok = state_->check(made, action); !ok) return tl::unexpected(ok.error());
      unchanged.push_back({contents.bytes.size(), *piece.unchanged});
      contents.bytes.emplace_back();
      continue;
    }
    if (buffer.parts.empty()) {
      const auto [known, fresh] = whole.try_emplace(piece.buffer);
      if (fresh) {
        auto bytes = with_guards ? copy(buffer.memory.get(), buffer.layout.total())
                                 : copy(buffer.base(), buffer.layout.bytes);
        if (!bytes) return tl::unexpected(bytes.error());
        known->second = std::move(*bytes);
      }
      contents.bytes.push_back(known->second.part(with_guards ? buffer.layout.front : 0, piece.bytes));
      continue;
    }
    contents.bytes.push_back(host_bytes(piece.bytes));
    auto copied =
        for_parts(buffer, contents.bytes.back().span(), [&](CUdeviceptr from, std::span<std::byte> to) {
          return state_->check(
              state_->driver().copy_to_host(to.data(), from, to.size(), state_->context->stream()), action);
        });
    if (!copied) return tl::unexpected(copied.error());
  }
  for (const auto& [id, buffer] : state_->buffers) {
    if (buffer.scattered || !with_guards) continue;
    const std::uint64_t back = buffer.layout.front + buffer.layout.bytes;
    const auto known = whole.find(id);
    for (const auto& [first, bytes] :
         {std::pair{std::uint64_t{0}, buffer.layout.front}, {back, buffer.layout.back}}) {
      if (bytes == 0 || state_->zone_bytes == 0) continue;
      auto zone = known != whole.end() ? Outcome<devices::HostBytes>(known->second.part(first, bytes))
                                       : copy(buffer.memory.get() + first, bytes);
      if (!zone) return tl::unexpected(zone.error());
      zones.push_back({buffer.name, buffer.layout, id, first, std::move(*zone)});
    }
  }
  std::vector<Left> variables;
  for (const auto& [id, module] : state_->kernels) {
    if (!with_guards) break;
    for (const State::Kept& kept : module.kept) {
      auto now = copy(kept.address, kept.bytes);
      if (!now) return tl::unexpected(now.error());
      auto original = copy(kept.original.get(), kept.bytes);
      if (!original) return tl::unexpected(original.error());
      variables.push_back({kept.variable, std::move(*now), std::move(*original)});
    }
  }
  devices::HostBytes digests;
  if (!unchanged.empty()) {
    auto copied = copy(state_->context->helpers().digests(), unchanged.size() * sizeof(std::uint64_t));
    if (!copied) return tl::unexpected(copied.error());
    digests = std::move(*copied);
  }
  if (auto done = state_->drain(action); !done) return tl::unexpected(done.error());
  bool all_unchanged = true;
  for (std::size_t i = 0; i < unchanged.size(); ++i) {
    std::uint64_t now = 0;
    std::memcpy(&now, digests.span().data() + i * sizeof now, sizeof now);
    if (now == unchanged[i].known) continue;
    // Which bytes differ is for who asked to say.
    all_unchanged = false;
    const devices::BufferPiece& piece = wanted[unchanged[i].piece];
    auto bytes = copy(state_->buffer(piece.buffer).base(), piece.bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    contents.bytes[unchanged[i].piece] = std::move(*bytes);
  }
  if (!all_unchanged) {
    if (auto done = state_->drain(action); !done) return tl::unexpected(done.error());
  }
  if (!with_guards) return contents;
  contents.guards = [zones = std::move(zones), variables = std::move(variables)]() -> Outcome<void> {
    if (auto intact = check_zones(zones); !intact) return intact;
    return check_variables(variables);
  };
  return contents;
}

std::optional<std::uint64_t> CudaDevice::digest(std::span<const std::byte> bytes) const {
  return content_digest(bytes);
}

Outcome<void> CudaDevice::check_guards() {
  const auto contents = read_with_guards({});
  if (!contents) return tl::unexpected(contents.error());
  return contents->guards();
}

}  // namespace evo::evaluators::cuda
