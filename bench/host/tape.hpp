// A GPU that takes no time: what launches leave is recorded on the virtual device once, then given back as
// often as it is asked for. What a job takes on it is what the host does.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "evaluators/devices/cuda/digest.hpp"
#include "evaluators/devices/device.hpp"

namespace evo::bench {

namespace devices = evaluators::devices;

/// What reads gave, in their order. A job makes the same ones every time.
struct Tape {
  std::vector<std::vector<devices::HostBytes>> reads;
  std::size_t at = 0;
  std::size_t launches = 0;
};

class TapeDevice final : public devices::Device, public devices::LaunchConditions {
 public:
  /// With a `source` it records, without one it plays; the tape outlives it.
  TapeDevice(Tape& tape, devices::DeviceInfo info, std::unique_ptr<devices::Device> source)
      : tape_(tape), info_(std::move(info)), source_(std::move(source)) {
    tape_.at = tape_.launches = 0;
  }

  [[nodiscard]] devices::DeviceInfo info() const override { return info_; }
  [[nodiscard]] devices::Outcome<devices::ModuleId> load(const model::Artifact& artifact) override {
    return source_ ? source_->load(artifact) : devices::Outcome<devices::ModuleId>(++numbers_);
  }
  void unload(devices::ModuleId module) override {
    if (source_) source_->unload(module);
  }
  [[nodiscard]] devices::Outcome<devices::BufferId> allocate(const devices::BufferSpec& spec) override {
    return source_ ? source_->allocate(spec) : devices::Outcome<devices::BufferId>(++numbers_);
  }
  void release(devices::BufferId buffer) override {
    if (source_) source_->release(buffer);
  }
  [[nodiscard]] devices::Outcome<void> write(devices::BufferId buffer,
                                             std::span<const std::byte> bytes) override {
    return source_ ? source_->write(buffer, bytes) : devices::Outcome<void>();
  }
  [[nodiscard]] devices::Outcome<void> read(devices::BufferId buffer, std::span<std::byte> bytes) override {
    if (source_) {
      auto done = source_->read(buffer, bytes);
      if (!done) return done;
      devices::HostBytes kept = host_bytes(bytes.size());
      std::ranges::copy(bytes, kept.span().begin());
      tape_.reads.push_back({std::move(kept)});
      return done;
    }
    const auto played = next().at(0).span();
    std::ranges::copy(played, bytes.begin());
    return {};
  }
  [[nodiscard]] devices::Outcome<void> poison(devices::BufferId buffer, std::uint32_t pattern) override {
    return source_ ? source_->poison(buffer, pattern) : devices::Outcome<void>();
  }
  [[nodiscard]] devices::Outcome<void> check_guards() override {
    return source_ ? source_->check_guards() : devices::Outcome<void>();
  }
  /// As a GPU has it, which tells by one what it does not copy.
  [[nodiscard]] std::optional<std::uint64_t> digest(std::span<const std::byte> bytes) const override {
    return evaluators::cuda::content_digest(bytes);
  }
  [[nodiscard]] devices::Outcome<devices::Contents> read_with_guards(
      std::span<const devices::BufferPiece> wanted) override {
    if (!source_) return devices::Contents{next(), [] { return devices::Outcome<void>(); }};
    return kept(wanted, source_->read_with_guards(wanted));
  }
  [[nodiscard]] devices::Outcome<devices::Contents> read_pieces(
      std::span<const devices::BufferPiece> wanted) override {
    if (!source_) return devices::Contents{next(), {}};
    return kept(wanted, source_->read_pieces(wanted));
  }
  [[nodiscard]] devices::Outcome<devices::LaunchReport> launch(
      devices::ModuleId module, const model::LaunchPlan& plan,
      std::span<const devices::KernelArgument> arguments, const devices::LaunchOptions& options) override {
    ++tape_.launches;
    return source_ ? source_->launch(module, plan, arguments, options)
                   : devices::Outcome<devices::LaunchReport>(devices::LaunchReport{});
  }
  [[nodiscard]] devices::Outcome<void> synchronize() override {
    return source_ ? source_->synchronize() : devices::Outcome<void>();
  }
  [[nodiscard]] devices::LaunchConditions* launch_conditions() override { return this; }
  [[nodiscard]] devices::Outcome<void> fill_shared(std::uint32_t) override { return {}; }
  [[nodiscard]] devices::Outcome<void> flush_cache() override { return {}; }
  [[nodiscard]] devices::Outcome<void> start_load(std::chrono::microseconds) override { return {}; }
  [[nodiscard]] devices::Outcome<Timing> time(devices::ModuleId, const model::LaunchPlan&,
                                              std::span<const std::vector<devices::KernelArgument>>,
                                              const devices::TimingProtocol&) override {
    throw std::logic_error("a tape times nothing");
  }

 private:
  /// What was read, on the tape; without what a GPU would not copy.
  [[nodiscard]] devices::Outcome<devices::Contents> kept(std::span<const devices::BufferPiece> wanted,
                                                         devices::Outcome<devices::Contents> contents) {
    if (!contents) return contents;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto found = digest(contents->bytes[i].span());
      if (found && found == wanted[i].unchanged) contents->bytes[i] = {};
    }
    tape_.reads.push_back(contents->bytes);
    return contents;
  }
  [[nodiscard]] const std::vector<devices::HostBytes>& next() {
    if (tape_.at == tape_.reads.size()) throw std::logic_error("the job reads more than was recorded");
    return tape_.reads[tape_.at++];
  }

  Tape& tape_;
  devices::DeviceInfo info_;
  std::unique_ptr<devices::Device> source_;
  std::uint32_t numbers_ = 0;
};

}  // namespace evo::bench
