// Speed of the virtual device's warp machine: thread instructions a second on one core, with the checks off
// and on, measured alternately in one process, and against Oclgrind on the same SGEMM. CPU time, so that a
// busy machine disturbs little; the least of several runs.
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/virtual/oclgrind.hpp"
#include "evaluators/devices/virtual/exact/machine.hpp"
#include "evaluators/devices/virtual/memory.hpp"
#include "evaluators/devices/virtual/ptx/load_program.hpp"
#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "evaluators/devices/virtual/warp/machine.hpp"

namespace {

namespace vd = evo::evaluators::virtual_device;

struct Case {
  const char* name;
  const char* entry;
  std::vector<std::size_t> inputs;  ///< elements
  std::size_t output;               ///< elements
  std::size_t element;              ///< bytes; of 2 in the first cases a half
  std::array<std::uint32_t, 3> grid, block;
  std::vector<std::uint32_t> scalars;  ///< behind the pointers, as bits
  bool integers = false;               ///< elements
  std::size_t in_place = 0;  ///< buffers that are read and written, behind the inputs; then no output
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One kernel with its buffers.
class Subject {
 public:
  Subject(const std::string& ptx, const Case& what) : case_(what) {
    auto loaded = vd::ptx::load_program(ptx, what.entry);
    if (!loaded) {
      fmt::print(stderr, "{}: {}\n", what.entry, loaded.error().reason);
      std::exit(1);
    }
    program_ = std::make_unique<vd::Program>(std::move(*loaded));
    machine_ = std::make_unique<vd::warp::Machine>(*program_);
    for (const std::size_t count : what.inputs) {
      fill(count);
      // As the gates declare inputs: nobody may write there.
      buffers_.back()->restrict(true, nullptr, 0);
    }
    for (std::size_t k = 0; k < what.in_place; ++k) fill(what.output);
    if (what.in_place == 0) add(what.output * what.element);
    for (const std::uint32_t scalar : what.scalars) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&scalar);
      parameters_.insert(parameters_.end(), bytes, bytes + sizeof scalar);
    }
  }

  /// CPU seconds of one launch; a suspicion is settled, as the device settles it.
  double run(bool checked) {
    vd::GlobalMap map;
    for (auto& buffer : buffers_) {
      buffer->refresh();
      map.map(buffer->region(), buffer->name());
    }
    vd::Launch launch;
    launch.program = program_.get();
    launch.memory = &map;
    launch.grid = case_.grid;
    launch.block = case_.block;
    launch.parameters = parameters_;
    vd::warp::RunOptions options;
    options.checked = checked;
    options.threads = 1;
    const double start = cpu_seconds();
    const auto result = machine_->run(launch, options);
    if (result.suspicious()) static_cast<void>(vd::exact::run(launch));
    const double seconds = cpu_seconds() - start;
    clean_ = clean_ && result.clean();
    thread_instructions_ = result.thread_instructions;
    return seconds;
  }
  [[nodiscard]] std::uint64_t thread_instructions() const { return thread_instructions_; }
  [[nodiscard]] bool clean() const { return clean_; }

 private:
  void fill(std::size_t count) {
    const std::size_t element = case_.element;
    add(count * element);
    std::vector<std::byte> bytes(count * element);
    for (std::size_t i = 0; i < count; ++i) {
      const auto integer = static_cast<std::uint32_t>(i * 7919 % 251);
      const float value = static_cast<float>(integer) / 125.0F - 1.0F;
      const std::uint32_t bits = case_.integers ? integer
                                 : element == 2 ? vd::semantics::to_half(value).bits
                                                : vd::semantics::bits_of(value);
      std::memcpy(bytes.data() + i * element, &bits, element);
    }
    buffers_.back()->write(bytes);
  }
  void add(std::size_t bytes) {
    const auto slot = static_cast<std::uint32_t>(vd::first_buffer_slot + buffers_.size());
    buffers_.push_back(std::make_unique<vd::Buffer>(slot, "buffer", bytes, 0));
    const std::uint64_t address = buffers_.back()->address();
    const auto* raw = reinterpret_cast<const std::byte*>(&address);
    parameters_.insert(parameters_.end(), raw, raw + sizeof address);
  }

  const Case& case_;
  std::unique_ptr<vd::Program> program_;
  std::unique_ptr<vd::warp::Machine> machine_;
  std::vector<std::unique_ptr<vd::Buffer>> buffers_;
  std::vector<std::byte> parameters_;
  std::uint64_t thread_instructions_ = 0;
  bool clean_ = true;
};

std::vector<Case> cases() {
  const std::uint32_t scale = vd::semantics::bits_of(0.125F);
  const std::size_t heads = 2 * 128 * 64;
  return {
      {"reduce 1 Mi floats", "reduce", {1 << 20}, 64, 4, {64, 1, 1}, {256, 1, 1}, {1 << 20}},
      {"softmax 256 x 1024", "softmax", {256 * 1024}, 256 * 1024, 4, {256, 1, 1}, {256, 1, 1}, {1024}},
      {"sgemm 256^3", "sgemm", {65536, 65536}, 65536, 4, {4, 4, 1}, {256, 1, 1}, {256}},
      {"transpose 512^2", "transpose", {262144}, 262144, 4, {16, 16, 1}, {32, 8, 1}, {512}},
      {"attention tiles H2 S128 D64",
       "attention_tile",
       {heads, heads, heads},
       heads,
       2,
       {2, 2, 1},
       {128, 1, 1},
       {128, scale}},
      {"attention rows H2 S128 D64",
       "attention_row",
       {heads, heads, heads},
       heads,
       2,
       {2, 2, 1},
       {64, 1, 1},
       {128, scale}},
      {"mma GEMM 512^3", "mma_gemm", {262144, 262144}, 262144, 2, {8, 8, 1}, {128, 1, 1}, {512}},
      {"wmma GEMM 512^3", "wmma_gemm", {262144, 262144}, 262144, 2, {8, 8, 1}, {128, 1, 1}, {512}},
      {"axpy in place", "axpy", {1 << 20}, 1 << 20, 4, {4096, 1, 1}, {256, 1, 1}, {scale}, false, 1},
      {"Coulomb in place", "coulomb", {256}, 1 << 16, 4, {256, 1, 1}, {256, 1, 1}, {256}, false, 1},
      {"AdamW in place", "adamw", {1 << 18}, 1 << 18, 4, {1024, 1, 1}, {256, 1, 1}, {scale}, false, 3},
      {"GEMM 256^3, C += A B",
       "gemm_add",
       {65536, 65536},
       65536,
       4,
       {16, 16, 1},
       {16, 16, 1},
       {256},
       false,
       1},
      {"scan in place", "scan", {}, 1 << 20, 4, {4096, 1, 1}, {256, 1, 1}, {}, true, 1},
      {"rows less their means", "center", {1 << 20}, 1 << 20, 4, {1024, 1, 1}, {256, 1, 1}, {1024}},
      {"s32 to float and back", "convert_s32", {1 << 18}, 1 << 18, 4, {1024, 1, 1}, {256, 1, 1}, {}, true},
      {"u32 to float and back", "convert_u32", {1 << 18}, 1 << 18, 4, {1024, 1, 1}, {256, 1, 1}, {}, true},
      {"s16 to float and back", "convert_s16", {1 << 18}, 1 << 18, 2, {1024, 1, 1}, {256, 1, 1}, {}, true},
      {"u16 to float and back", "convert_u16", {1 << 18}, 1 << 18, 2, {1024, 1, 1}, {256, 1, 1}, {}, true},
      {"s8 to float and back", "convert_s8", {1 << 18}, 1 << 18, 1, {1024, 1, 1}, {256, 1, 1}, {}, true},
      {"u8 to float and back", "convert_u8", {1 << 18}, 1 << 18, 1, {1024, 1, 1}, {256, 1, 1}, {}, true},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 15;
  std::ifstream file(EVO_BENCH_DIR "/kernels.ptx");
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  const std::vector<Case> all = cases();
  fmt::print(
      "Virtual device, one core, CPU time, least of {} runs each; checks: everything through the fast "
      "filter.\n\n",
      repeats);
  fmt::print("{:<30}{:>14}{:>10}{:>10}{:>12}{:>12}{:>9}\n", "kernel", "thread instr", "off ms", "on ms",
             "off G/s", "on G/s", "on/off");
  bool ok = true;
  double sgemm = 0;
  double of_32_bits = 0;
  for (const Case& what : all) {
    Subject subject(ptx, what);
    double off = 1e9;
    double on = 1e9;
    subject.run(false);
    subject.run(true);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      off = std::min(off, subject.run(false));
      on = std::min(on, subject.run(true));
    }
    const auto count = static_cast<double>(subject.thread_instructions());
    fmt::print("{:<30}{:>14}{:>10.2f}{:>10.2f}{:>12.2f}{:>12.2f}{:>8.2f}x{}\n", what.name,
               subject.thread_instructions(), off * 1e3, on * 1e3, count / off * 1e-9, count / on * 1e-9,
               on / off, subject.clean() ? "" : "  UNEXPECTED FINDINGS");
    ok = ok && subject.clean() && on <= 3 * off;
    if (std::strcmp(what.entry, "sgemm") == 0) sgemm = on;
    if (std::strcmp(what.entry, "convert_u32") == 0) of_32_bits = off;
    const bool narrow = std::strncmp(what.entry, "convert_", 8) == 0 && what.element < 4;
    ok = ok && (!narrow || off <= 3 * of_32_bits);
  }
  if (const std::optional<double> seconds = evo::bench::oclgrind_seconds(EVO_BENCH_DIR)) {
    fmt::print(
        "\nOclgrind --data-races, sgemm 256^3, one thread: {:.2f} s; the virtual device with all checks is "
        "{:.0f} "
        "times faster.\n",
        *seconds, *seconds / sgemm);
    ok = ok && *seconds >= 300 * sgemm;
  } else {
    fmt::print("\nOclgrind is not installed (Debian package oclgrind): no comparison.\n");
  }
  fmt::print(
      "Targets (checks on within 3x of off, conversions of narrow integers within 3x of those of 32 bits, "
      "300 "
      "times Oclgrind): {}.\n",
      ok ? "met" : "NOT met");
  return ok ? 0 : 1;
}
