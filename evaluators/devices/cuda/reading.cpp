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

/// A copy of a guard zone, and what is needed to tell how it differs.
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

// Everything is put into the stream and awaited once. Zones, and pieces of which the digest is known, stay on
// the device unless they differ.
Outcome<devices::Contents> CudaDevice::read_contents(std::span<const devices::BufferPiece> wanted,
                                                     bool with_guards) {
  if (auto settled = state_->settle(); !settled) return tl::unexpected(settled.error());
  const std::string action = "reading what the launch left";
  const CUstream stream = state_->context->stream();
  const auto check = [&](CUresult result) { return state_->check(result, action); };
  const auto copy = [&](CUdeviceptr from, std::uint64_t bytes) -> Outcome<devices::HostBytes> {
    devices::HostBytes to = host_bytes(bytes);
    if (bytes == 0) return to;
    if (auto ok = check(state_->driver().copy_to_host(to.span().data(), from, bytes, stream)); !ok)
      return tl::unexpected(ok.error());
    return to;
  };
  devices::Contents contents;
  std::vector<Unchanged> unchanged;
  std::vector<Stretch> stretches;
  for (const devices::BufferPiece& piece : wanted) {
    const State::Buffer& buffer = state_->buffer(piece.buffer);
    if (piece.bytes > contents_of(buffer))
      throw std::logic_error("read past the end of buffer " + buffer.name);
    if (auto back = state_->bring_back_surfaces(buffer); !back) return tl::unexpected(back.error());
    if (piece.unchanged && buffer.parts.empty() && unchanged.size() < HelperKernels::most_sums) {
      stretches.push_back({buffer.base(), piece.bytes});
      unchanged.push_back({contents.bytes.size(), *piece.unchanged});
      contents.bytes.emplace_back();
      continue;
    }
    contents.bytes.push_back(host_bytes(piece.bytes));
    auto copied = for_parts(buffer, contents.bytes.back().span(),
                            [&](CUdeviceptr from, std::span<std::byte> to) -> Outcome<void> {
                              if (to.empty()) return {};
                              return check(state_->driver().copy_to_host(to.data(), from, to.size(), stream));
                            });
    if (!copied) return tl::unexpected(copied.error());
  }
  std::vector<devices::BufferId> guarded;
  std::vector<GuardZones> zones;
  if (with_guards) {
    if (auto filled = state_->fill_new_zones(); !filled) return tl::unexpected(filled.error());
    for (const auto& [id, buffer] : state_->buffers) {
      if (!state_->has_zones(buffer)) continue;
      guarded.push_back(id);
      zones.push_back(State::zones_of(id, buffer));
    }
  }
  const bool counts = unchanged.size() + zones.size() <= HelperKernels::most_sums;
  const std::size_t sums = unchanged.size() + (counts ? zones.size() : 0);
  devices::HostBytes told;
  if (sums > 0) {
    HelperKernels& helpers = state_->context->helpers();
    if (auto ok = check(helpers.clear_sums(sums, stream)); !ok) return tl::unexpected(ok.error());
    if (auto ok = check(helpers.digest(stretches, digest_key(), 0, stream)); !ok)
      return tl::unexpected(ok.error());
    if (counts) {
      if (auto ok = check(helpers.check_guards(zones, unchanged.size(), stream)); !ok)
        return tl::unexpected(ok.error());
    }
    auto copied = copy(helpers.sums(), sums * sizeof(std::uint64_t));
    if (!copied) return tl::unexpected(copied.error());
    told = std::move(*copied);
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
  if (auto done = state_->drain(action); !done) return tl::unexpected(done.error());

  const auto sum = [&](std::size_t place) {
    std::uint64_t now = 0;
    std::memcpy(&now, told.span().data() + place * sizeof now, sizeof now);
    return now;
  };
  bool as_it_was = true;
  for (std::size_t i = 0; i < unchanged.size(); ++i) {
    if (sum(i) == unchanged[i].known) continue;
    // Which bytes differ is for who asked to say.
    as_it_was = false;
    const devices::BufferPiece& piece = wanted[unchanged[i].piece];
    auto bytes = copy(state_->buffer(piece.buffer).base(), piece.bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    contents.bytes[unchanged[i].piece] = std::move(*bytes);
  }
  std::vector<Zone> damaged;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (counts && sum(unchanged.size() + i) == 0) continue;
    as_it_was = false;
    const State::Buffer& buffer = state_->buffer(guarded[i]);
    const std::uint64_t back = buffer.layout.front + buffer.layout.bytes;
    for (const auto& [first, bytes] :
         {std::pair{std::uint64_t{0}, buffer.layout.front}, {back, buffer.layout.back}}) {
      if (bytes == 0) continue;
      auto zone = copy(buffer.memory.get() + first, bytes);
      if (!zone) return tl::unexpected(zone.error());
      damaged.push_back({buffer.name, buffer.layout, guarded[i], first, std::move(*zone)});
    }
  }
  if (!as_it_was) {
    if (auto done = state_->drain(action); !done) return tl::unexpected(done.error());
  }
  if (!with_guards) return contents;
  contents.guards = [damaged = std::move(damaged), variables = std::move(variables)]() -> Outcome<void> {
    if (auto intact = check_zones(damaged); !intact) return intact;
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
