// Every line of instructions.cu on edge cases and random inputs: bit-equal, or within its bound.
#include <cmath>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "bench/agreement/pair.hpp"
#include "model/error.hpp"
#include "model/random.hpp"

namespace evo::bench {
namespace {

namespace devices = evaluators::devices;

struct Line {
  std::string text;
  double ulps = -1;  ///< negative: bit-equal
};

std::vector<Line> read_lines(const std::string& source) {
  std::vector<Line> lines;
  const std::regex pattern(R"re(^\s+(?:EXACT\(|BOUND\((\d+), )\w+, "([^"]*)"\))re");
  std::istringstream stream(source);
  for (std::string text; std::getline(stream, text);) {
    std::smatch match;
    if (std::regex_search(text, match, pattern))
      lines.push_back({match[2], match[1].matched ? std::stod(match[1]) : -1});
  }
  return lines;
}

/// Edge cases of f32 (low word), f16 (low half) and f64, integers at their limits, then random bits of each
/// kind.
std::vector<std::uint64_t> inputs(std::uint64_t seed, std::string_view name, std::size_t count) {
  static constexpr std::uint64_t edges[] = {0,
                                            1,
                                            2,
                                            7,
                                            31,
                                            32,
                                            33,
                                            63,
                                            64,
                                            0x7f,
                                            0x80,
                                            0xff,
                                            0x3c00,
                                            0x3c01,
                                            0x7bff,
                                            0x7c00,
                                            0xfc00,
                                            0x7e00,
                                            0x0001,
                                            0x0400,
                                            0x8000,
                                            0x3f800000,
                                            0xbf800000,
                                            0x40000000,
                                            0x3f000000,
                                            0x00000001,
                                            0x007fffff,
                                            0x00800000,
                                            0x7f7fffff,
                                            0xff7fffff,
                                            0x7f800000,
                                            0xff800000,
                                            0x7fc00000,
                                            0x80000000,
                                            0x7fffffff,
                                            0xffffffff,
                                            0x4b000000,
                                            0x4effffff,
                                            0x4f000000,
                                            0x3ff0000000000000,
                                            0xbff0000000000000,
                                            0x7ff0000000000000,
                                            0x7fefffffffffffff,
                                            0x0000000000000001,
                                            0x8000000000000000,
                                            0xffffffffffffffff,
                                            0x36a0000000000000,
                                            0x47efffffe0000000,
                                            0x47effffff0000000};
  constexpr std::size_t edge_count = std::size(edges);
  model::RandomStream random({seed, 0, 0, name});
  std::vector<std::uint64_t> values;
  while (values.size() < count) {
    const double kind = random.uniform();
    if (kind < 0.3) {
      values.push_back(edges[random.below(edge_count)]);
    } else if (kind < 0.6) {
      values.push_back(random.next_u64());
    } else if (kind < 0.8) {
      const auto value = static_cast<float>(random.normal() * std::exp2(20 * random.normal()));
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      values.push_back(bits);
    } else {
      const double value = random.normal() * std::exp2(40 * random.normal());
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, 8);
      values.push_back(bits);
    }
  }
  return values;
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Throws for a failure: this program compares correct kernels only.
template <class T>
T take(devices::Outcome<T> outcome, const char* what) {
  if (!outcome) {
    std::string text =
        fmt::format("{}: {} ({})", what, model::name_of(outcome.error().status), outcome.error().reason);
    for (const auto& item : outcome.error().evidence) text += "\n  " + item.message;
    throw model::Exception(model::ExitCode::failed, text);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

std::vector<std::uint64_t> run(devices::Device& device, const model::Artifact& artifact,
                               const std::vector<std::vector<std::uint64_t>>& in, std::size_t lines) {
  const std::size_t count = in[0].size();
  const auto module = take(device.load(artifact), "load");
  std::vector<devices::KernelArgument> arguments;
  for (const auto& values : in) {
    const auto buffer = take(device.allocate({values.size() * 8, 0, "in"}), "allocate");
    take(device.write(buffer, bytes_of(values)), "write");
    arguments.emplace_back(devices::BufferArgument{buffer});
  }
  std::vector<std::uint64_t> result(count * lines);
  const auto out = take(device.allocate({result.size() * 8, 0, "out"}), "allocate");
  arguments.emplace_back(devices::BufferArgument{out});
  std::vector<std::byte> size(4);
  const auto number = static_cast<std::int32_t>(count);
  std::memcpy(size.data(), &number, 4);
  arguments.emplace_back(size);
  model::LaunchPlan plan;
  plan.grid = {static_cast<std::uint32_t>((count + 127) / 128), 1, 1};
  plan.block = {128, 1, 1};
  (void)take(device.launch(module, plan, arguments, {}), "launch");
  take(device.synchronize(), "synchronize");
  take(device.read(out, std::as_writable_bytes(std::span(result))), "read");
  return result;
}

/// Distance in representable f32 values; NaN equals NaN.
double ulp_distance(std::uint32_t a, std::uint32_t b) {
  const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7fffffffU) > 0x7f800000U; };
  if (is_nan(a) && is_nan(b)) return 0;
  const auto order = [](std::uint32_t bits) {
    return (bits & 0x80000000U) != 0 ? -static_cast<std::int64_t>(bits & 0x7fffffffU)
                                     : static_cast<std::int64_t>(bits);
  };
  return std::abs(static_cast<double>(order(a) - order(b)));
}

}  // namespace

int compare_instructions(DevicePair& pair, const std::string& source_file, std::uint64_t seed) {
  std::ifstream stream(source_file);
  const std::string source{std::istreambuf_iterator<char>(stream), {}};
  const std::vector<Line> lines = read_lines(source);
  evaluators::compile::CompileRequest request;
  request.source = source;
  request.source_file = "instructions.cu";
  request.entry = "instructions";
  request.arch = pair.arch();
  request.options = {"--fmad=false"};
  const auto artifact = pair.compiler().compile(request);
  if (!artifact)
    throw model::Exception(model::ExitCode::failed,
                           "instructions.cu does not compile: " + artifact.error().reason);
  constexpr std::size_t count = 1 << 15;
  const std::vector<std::vector<std::uint64_t>> in{inputs(seed, "a", count), inputs(seed, "b", count),
                                                   inputs(seed, "c", count)};
  const auto expected = run(pair.gpu(), *artifact, in, lines.size());
  const auto got = run(pair.machine(), *artifact, in, lines.size());

  int bad_lines = 0, exact_lines = 0;
  fmt::print("{:<52} {:>9} {:>10} {:>10}\n", "instruction", "bound ulp", "worst ulp", "differing");
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::size_t differing = 0, first = count, outside = 0;
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t e = expected[line * count + i], g = got[line * count + i];
      if (e == g) continue;
      ++differing;
      const double distance = ulp_distance(static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(g));
      worst = std::max(worst, distance);
      if (lines[line].ulps < 0 || distance > lines[line].ulps) {
        ++outside;
        first = std::min(first, i);
      }
    }
    if (lines[line].ulps < 0) ++exact_lines;
    if (outside == 0 && lines[line].ulps < 0) continue;
    fmt::print("{:<52} {:>9} {:>10} {:>10}\n", lines[line].text,
               lines[line].ulps < 0 ? "exact" : fmt::format("{}", lines[line].ulps), worst, differing);
    if (outside == 0) continue;
    ++bad_lines;
    fmt::print("  {} outside; first: a={:016x} b={:016x} c={:016x}: GPU {:016x}, virtual {:016x}\n", outside,
               in[0][first], in[1][first], in[2][first], expected[line * count + first],
               got[line * count + first]);
  }
  fmt::print("{} instructions x {} inputs: {} disagree ({} must be bit-equal, {} have a bound)\n",
             lines.size(), count, bad_lines, exact_lines,
             lines.size() - static_cast<std::size_t>(exact_lines));
  return bad_lines;
}

}  // namespace evo::bench
