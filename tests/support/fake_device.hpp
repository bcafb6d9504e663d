// A Device whose kernel is a function of the host: it can be correct, or wrong in each way that the gates
// must see.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "evaluators/devices/device.hpp"

namespace evo::tests {

namespace devices = evaluators::devices;

/// What happened on the devices of one test; shared, so that it outlives them. They may note at the same
/// time; whoever reads waits for them first.
struct FakeLog {
  template <class Note>
  void note(const Note& what) {
    const std::scoped_lock lock(mutex);
    what();
  }
  std::mutex mutex;
  std::atomic<int> launches{0}, synchronisations{0}, loads{0}, unloads{0}, live_buffers{0}, devices{0},
      timings{0}, emptied{0}, most_launches{0};  ///< timings on an emptied L2; of a timed sample
  std::atomic<int> unsynchronised{0}, most_unsynchronised{0};  ///< launches since the last synchronisation
  std::atomic<bool> being_timed{false};                        ///< during Device::time
  std::atomic<int> flushes{0}, loads_beside{0}, spot_checks{0}, reads{0};
  std::atomic<int> unchanged{0};  ///< buffers that were not copied, since they hold what they held
  /// Patterns that shared memory was filled with, and the last one; each launch appends what it found.
  std::vector<std::uint32_t> shared_fills;
  std::vector<std::uint64_t> schedule_seeds;
  std::vector<devices::LaunchOptions> options;
  std::set<std::uint32_t> misalignments;
  std::vector<std::uint32_t> poisons;
  std::vector<std::uint64_t> allocated;  ///< bytes of each buffer
  std::vector<std::string> loaded;       ///< `cubin` of each module, in the order of loading
};

class FakeDevice;

/// One launch, as a fake kernel sees it.
class FakeLaunch {
 public:
  FakeLaunch(FakeDevice& device, std::span<const devices::KernelArgument> arguments,
             const devices::LaunchOptions& launch_options, int number)
      : options(launch_options), index(number), device_(device), arguments_(arguments) {}

  const devices::LaunchOptions options;
  const int index;  ///< of this launch on its device, from 0

  template <class T>
  [[nodiscard]] T scalar(std::size_t argument) const {
    T value;
    std::memcpy(&value, std::get<std::vector<std::byte>>(arguments_[argument]).data(), sizeof value);
    return value;
  }
  /// The argument's first element; the guard zones before and behind are within reach, as on a GPU.
  template <class T>
  [[nodiscard]] T* pointer(std::size_t argument) const;
  [[nodiscard]] std::uint32_t misalignment(std::size_t argument) const;
  [[nodiscard]] std::uint64_t bytes(std::size_t argument) const;
  [[nodiscard]] FakeDevice& device() const { return device_; }
  [[nodiscard]] devices::BufferId buffer(std::size_t argument) const {
    return std::get<devices::BufferArgument>(arguments_[argument]).buffer;
  }

 private:
  FakeDevice& device_;
  std::span<const devices::KernelArgument> arguments_;
};

using FakeKernel = std::function<devices::Outcome<devices::LaunchReport>(FakeLaunch&)>;

struct FakeDeviceSettings {
  devices::DeviceInfo info{"cuda", "fake GPU", "sm_90", "1.0", "uuid"};
  FakeKernel kernel;
  /// Another kernel for artifacts whose `cubin` is this text.
  std::map<std::string, FakeKernel> kernel_of_cubin{};
  std::vector<double> samples_us{5.0, 5.5, 4.5, 5.25, 4.75};
  std::function<std::vector<double>()> clock{};  ///< samples instead of those, asked for after the launches
  std::optional<model::Failure> load_failure{}, allocate_failure{}, time_failure{};
  bool run_when_timed = true;
  std::optional<std::uint64_t> resident_blocks{};      ///< what resident_blocks() says
  bool digests = false;                                ///< it tells by them what it need not copy
  std::function<std::optional<std::string>()> held{};  ///< why clocks are held down; without: nobody tells
  std::shared_ptr<FakeLog> log = std::make_shared<FakeLog>();
  /// What the device says when it is awaited, and when a buffer is read.
  std::function<std::optional<model::Failure>(const FakeLog&)> says_when_awaited{}, says_when_read{};
};

class FakeDevice final : public devices::Device, public devices::LaunchConditions {
 public:
  static constexpr std::size_t guard = 256;

  explicit FakeDevice(FakeDeviceSettings settings) : settings_(std::move(settings)) {
    ++settings_.log->devices;
  }

  [[nodiscard]] devices::DeviceInfo info() const override { return settings_.info; }
  [[nodiscard]] bool lost() const override { return lost_; }

  [[nodiscard]] devices::Outcome<devices::ModuleId> load(const model::Artifact& artifact) override {
    if (settings_.load_failure) return tl::make_unexpected(*settings_.load_failure);
    ++settings_.log->loads;
    settings_.log->note([&] { settings_.log->loaded.push_back(artifact.cubin); });
    const auto found = settings_.kernel_of_cubin.find(artifact.cubin);
    modules_.push_back(found == settings_.kernel_of_cubin.end() ? settings_.kernel : found->second);
    return static_cast<devices::ModuleId>(modules_.size() - 1);
  }
  void unload(devices::ModuleId) override { ++settings_.log->unloads; }

  [[nodiscard]] devices::Outcome<devices::BufferId> allocate(const devices::BufferSpec& spec) override {
    if (settings_.allocate_failure) return tl::make_unexpected(*settings_.allocate_failure);
    ++settings_.log->live_buffers;
    settings_.log->note([&] {
      settings_.log->misalignments.insert(spec.misalignment);
      settings_.log->allocated.push_back(spec.bytes);
    });
    Buffer buffer{spec, {}};
    // A buffer in parts: they follow each other here, which write(), read() and poison() cannot tell.
    if (!spec.parts.empty()) buffer.spec.bytes = 0;
    for (const devices::BufferPart& part : spec.parts) buffer.spec.bytes += part.bytes;
    buffer.storage.assign(buffer.spec.bytes + 2 * guard, guard_byte);
    buffers_.emplace(next_, std::move(buffer));
    return next_++;
  }
  void release(devices::BufferId buffer) override {
    buffers_.erase(buffer);
    --settings_.log->live_buffers;
  }
  [[nodiscard]] devices::Outcome<void> write(devices::BufferId buffer,
                                             std::span<const std::byte> bytes) override {
    std::memcpy(data(buffer), bytes.data(), bytes.size());
    if (spec(buffer).restored) buffers_.at(buffer).written.assign(bytes.begin(), bytes.end());
    return {};
  }
  [[nodiscard]] devices::Outcome<void> read(devices::BufferId buffer, std::span<std::byte> bytes) override {
    ++settings_.log->reads;
    if (auto failure = said(settings_.says_when_read)) return tl::make_unexpected(std::move(*failure));
    std::memcpy(bytes.data(), data(buffer), bytes.size());
    return {};
  }
  [[nodiscard]] std::optional<std::uint64_t> digest(std::span<const std::byte> bytes) const override {
    if (!settings_.digests) return std::nullopt;
    std::uint64_t sum = 14695981039346656037ULL;  // FNV-1a
    for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 1099511628211ULL;
    return sum;
  }
  [[nodiscard]] devices::Outcome<devices::Contents> read_pieces(
      std::span<const devices::BufferPiece> wanted) override {
    devices::Contents contents;
    for (const devices::BufferPiece& piece : wanted) {
      devices::HostBytes& bytes = contents.bytes.emplace_back();
      if (piece.unchanged && piece.unchanged == digest({data(piece.buffer), piece.bytes})) {
        ++settings_.log->unchanged;
        continue;
      }
      bytes = host_bytes(piece.bytes);
      if (piece.bytes == 0) continue;
      if (auto copied = read(piece.buffer, bytes.span()); !copied) return tl::make_unexpected(copied.error());
    }
    return contents;
  }
  [[nodiscard]] devices::Outcome<void> poison(devices::BufferId buffer, std::uint32_t pattern) override {
    settings_.log->note([&] { settings_.log->poisons.push_back(pattern); });
    std::byte* const bytes = data(buffer);
    const std::size_t size = spec(buffer).bytes;
    for (std::size_t i = 0; i < std::min<std::size_t>(4, size); ++i)
      bytes[i] = static_cast<std::byte>((pattern >> (8 * i)) & 0xff);
    // What is there is copied behind itself: tests are compiled without optimisation, and arrays are large.
    for (std::size_t done = 4; done < size; done *= 2)
      std::memcpy(bytes + done, bytes, std::min(done, size - done));
    return {};
  }
  [[nodiscard]] devices::Outcome<void> check_guards() override {
    for (const auto& [id, buffer] : buffers_) {
      const std::byte* const bytes = buffer.storage.data();
      if (!all_of_guard(bytes) || !all_of_guard(bytes + guard + buffer.spec.bytes)) {
        return tl::make_unexpected(
            model::Failure{model::Status::wrong,
                           "guard_overwritten",
                           {{"guard_overwritten", "beside " + buffer.spec.name, {}, 0, {}}}});
      }
    }
    return {};
  }
  [[nodiscard]] devices::Outcome<devices::LaunchReport> launch(
      devices::ModuleId module, const model::LaunchPlan&, std::span<const devices::KernelArgument> arguments,
      const devices::LaunchOptions& options) override {
    FakeLog& log = *settings_.log;
    log.note([&] {
      log.schedule_seeds.push_back(options.schedule_seed);
      log.options.push_back(options);
    });
    ++log.launches;
    log.most_unsynchronised = std::max<int>(log.most_unsynchronised, ++log.unsynchronised);
    put_back(arguments);
    FakeLaunch seen(*this, arguments, options, launched_++);
    auto outcome = modules_.at(module)(seen);
    cold_ = false;
    if (outcome && options.counted) ++ended_;
    if (!outcome && (outcome.error().status == model::Status::device_fault ||
                     outcome.error().status == model::Status::timeout)) {
      lost_ = true;
    }
    return outcome;
  }
  [[nodiscard]] devices::Outcome<std::optional<std::uint64_t>> resident_blocks(
      devices::ModuleId, const model::LaunchPlan&) override {
    return settings_.resident_blocks;
  }
  [[nodiscard]] devices::Outcome<void> synchronize() override {
    ++settings_.log->synchronisations;
    settings_.log->unsynchronised = 0;
    loaded_ = false;
    if (auto failure = said(settings_.says_when_awaited)) return tl::make_unexpected(std::move(*failure));
    ended_ = 0;
    return {};
  }
  [[nodiscard]] std::size_t launches_ended() const override { return ended_; }
  /// As a virtual device it has none.
  [[nodiscard]] devices::LaunchConditions* launch_conditions() override {
    return settings_.info.kind == "virtual" ? nullptr : this;
  }
  [[nodiscard]] devices::Outcome<void> fill_shared(std::uint32_t pattern) override {
    shared_ = pattern;
    settings_.log->note([&] { settings_.log->shared_fills.push_back(pattern); });
    return {};
  }
  [[nodiscard]] devices::Outcome<void> flush_cache() override {
    ++settings_.log->flushes;
    cold_ = true;
    return {};
  }
  [[nodiscard]] std::optional<std::string> held_clocks() override {
    return settings_.held ? settings_.held() : std::nullopt;
  }
  [[nodiscard]] devices::Outcome<void> start_load(std::chrono::microseconds) override {
    ++settings_.log->loads_beside;
    loaded_ = true;
    return {};
  }
  [[nodiscard]] devices::Outcome<Timing> time(
      devices::ModuleId module, const model::LaunchPlan&,
      std::span<const std::vector<devices::KernelArgument>> argument_sets,
      const devices::TimingProtocol& protocol) override {
    ++settings_.log->timings;
    settings_.log->emptied += protocol.empty_cache ? 1 : 0;
    settings_.log->most_launches = std::max(settings_.log->most_launches.load(), protocol.launches);
    if (settings_.time_failure) return tl::make_unexpected(*settings_.time_failure);
    std::vector<int> pauses;
    for (const double share : protocol.spot_check ? protocol.spot_checks : std::vector<double>())
      pauses.push_back(static_cast<int>(share * protocol.samples));
    if (protocol.prepare) {
      if (auto fine = protocol.prepare(); !fine) return tl::make_unexpected(fine.error());
    }
    settings_.log->being_timed = true;
    for (int i = 0; settings_.run_when_timed && i < protocol.samples; ++i) {
      if (i > 0 && std::find(pauses.begin(), pauses.end(), i) != pauses.end()) {
        ++settings_.log->spot_checks;
        if (auto fine = protocol.spot_check(static_cast<std::size_t>(i)); !fine)
          return tl::make_unexpected(fine.error());
        if (protocol.prepare) {
          if (auto fine = protocol.prepare(); !fine) return tl::make_unexpected(fine.error());
        }
      }
      for (int j = 0; j < protocol.launches; ++j) {
        put_back(argument_sets[static_cast<std::size_t>(j) % argument_sets.size()]);
        FakeLaunch seen(*this, argument_sets[static_cast<std::size_t>(j) % argument_sets.size()], {},
                        launched_++);
        if (auto outcome = modules_.at(module)(seen); !outcome) return tl::make_unexpected(outcome.error());
      }
    }
    settings_.log->being_timed = false;
    const bool modelled = settings_.info.kind == "virtual";
    return Timing{modelled ? model::LatencyKind::modelled : model::LatencyKind::measured, "fake clock",
                  settings_.clock ? settings_.clock() : settings_.samples_us};
  }

  /// What a launch finds around it: the word that shared memory holds, an L2 that was flushed since the
  /// launch before, a load beside.
  [[nodiscard]] std::uint32_t shared_word() const { return shared_; }
  [[nodiscard]] bool cold() const { return cold_; }
  [[nodiscard]] bool loaded() const { return loaded_; }
  /// What a kernel leaves in shared memory.
  void set_shared_word(std::uint32_t word) { shared_ = word; }

  [[nodiscard]] std::byte* data(devices::BufferId buffer) {
    return buffers_.at(buffer).storage.data() + guard;
  }
  [[nodiscard]] const devices::BufferSpec& spec(devices::BufferId buffer) const {
    return buffers_.at(buffer).spec;
  }

 private:
  static constexpr std::byte guard_byte{0xa5};
  /// Tests are built without optimisation: bytes one by one are most of their time.
  [[nodiscard]] static bool all_of_guard(const std::byte* bytes) {
    static const std::vector<std::byte> whole(guard, guard_byte);
    return std::memcmp(bytes, whole.data(), guard) == 0;
  }
  [[nodiscard]] std::optional<model::Failure> said(
      const std::function<std::optional<model::Failure>(const FakeLog&)>& asked) const {
    return asked ? asked(*settings_.log) : std::nullopt;
  }
  struct Buffer {
    devices::BufferSpec spec;
    std::vector<std::byte> storage;
    std::vector<std::byte> written{};  ///< restored: by the last write()
  };
  /// What is zeroed or restored before every launch.
  void put_back(std::span<const devices::KernelArgument> arguments) {
    for (const devices::KernelArgument& argument : arguments) {
      const auto* pointer = std::get_if<devices::BufferArgument>(&argument);
      if (pointer == nullptr) continue;
      const Buffer& buffer = buffers_.at(pointer->buffer);
      if (buffer.spec.zeroed) std::memset(data(pointer->buffer), 0, buffer.spec.bytes);
      std::copy(buffer.written.begin(), buffer.written.end(), data(pointer->buffer));
    }
  }
  FakeDeviceSettings settings_;
  std::vector<FakeKernel> modules_;
  std::map<devices::BufferId, Buffer> buffers_;
  devices::BufferId next_ = 1;
  int launched_ = 0;
  std::size_t ended_ = 0;
  bool lost_ = false;
  std::uint32_t shared_ = 0;
  bool cold_ = false, loaded_ = false;
};

template <class T>
T* FakeLaunch::pointer(std::size_t argument) const {
  return reinterpret_cast<T*>(device_.data(buffer(argument)));
}
inline std::uint32_t FakeLaunch::misalignment(std::size_t argument) const {
  return device_.spec(buffer(argument)).misalignment;
}
inline std::uint64_t FakeLaunch::bytes(std::size_t argument) const {
  return device_.spec(buffer(argument)).bytes;
}

/// The kernel of vector_add_case (cases.hpp): c[i * c_stride] = a[i] + b[i].
inline void vector_add(FakeLaunch& launch) {
  const int n = launch.scalar<std::int32_t>(3);
  const int stride = launch.scalar<std::int32_t>(4);
  const float* const a = launch.pointer<float>(0);
  const float* const b = launch.pointer<float>(1);
  float* const c = launch.pointer<float>(2);
  for (int i = 0; i < n; ++i) c[i * stride] = a[i] + b[i];
}

/// A fake kernel that adds correct and then does `afterwards`.
inline FakeKernel add_then(std::function<void(FakeLaunch&)> afterwards) {
  return [afterwards = std::move(afterwards)](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    vector_add(launch);
    afterwards(launch);
    return devices::LaunchReport{};
  };
}
inline FakeKernel correct_kernel() {
  return add_then([](FakeLaunch&) {});
}
/// A fake kernel that does only `body`.
inline FakeKernel only(std::function<void(FakeLaunch&)> body) {
  return [body = std::move(body)](FakeLaunch& launch) -> devices::Outcome<devices::LaunchReport> {
    body(launch);
    return devices::LaunchReport{};
  };
}

}  // namespace evo::tests
