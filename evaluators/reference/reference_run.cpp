#include "evaluators/reference/reference_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/in_ranges.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/reference/more_blocks.hpp"
#include "evaluators/reference/reference_errors.hpp"
#include "evaluators/reference/untouched.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;

constexpr double launch_limit_ms = 60'000;

/// The case as the reference takes it: what floats is `real`.
model::Case widened(const model::Case& bound, model::DType real) {
  model::Case wide = bound;
  wide.launch = bound.reference_launch.value();
  for (model::BoundArgument& argument : wide.arguments) {
    argument.texture.reset();
    argument.reduce = model::Reduction::none;  // a reference gives what is compared
    argument.slices = 1;
    if (!oracle::is_floating(argument.dtype)) continue;
    std::array<std::byte, 8> bits{};  // a scalar as the candidate gets it
    oracle::store_element(argument.dtype, argument.scalar_float, bits.data());
    argument.scalar_float = oracle::load_element(argument.dtype, bits.data());
    argument.dtype = real;
  }
  return wide;
}

std::vector<std::byte> widened(const model::BoundArgument& argument, const model::BoundArgument& wide,
                               const std::vector<std::byte>& bytes) {
  if (argument.dtype == wide.dtype || bytes.empty()) return bytes;
  std::vector<std::byte> result(static_cast<std::size_t>(oracle::buffer_bytes(wide)), std::byte{0xff});
  const std::int64_t size = model::size_of(argument.dtype), wide_size = model::size_of(wide.dtype);
  const auto widen = [&](std::int64_t from, std::int64_t to) {
    const double value = oracle::load_element(argument.dtype, bytes.data() + from * size);
    oracle::store_element(wide.dtype, value, result.data() + to * wide_size);
  };
  const std::int64_t count = oracle::element_count(argument);
  // Elements that share a place are left to one thread.
  const bool apart = count * size <= static_cast<std::int64_t>(bytes.size());
  if (apart && oracle::host_layout(argument).strides == oracle::host_layout(wide).strides) {
    oracle::in_ranges(static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
      oracle::for_elements(argument, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                           [&](std::int64_t, std::int64_t offset) { widen(offset, offset); });
    });
    return result;
  }
  const std::vector<std::int64_t> from = oracle::element_offsets(argument),
                                  to = oracle::element_offsets(wide);
  for (std::size_t e = 0; e < from.size(); ++e) widen(from[e], to[e]);
  return result;
}

/// "reference.cu:12: race_shared: ..."
model::Error error_of(const model::Failure& failure, const std::string& file) {
  std::string text = failure.reason;
  for (const model::Evidence& evidence : failure.evidence) {
    text += ": " + evidence.message;
    if (evidence.line > 0) return {fmt::format("the reference: {}", text), file, evidence.line, 0};
    break;
  }
  return {fmt::format("the reference {}: {}", file, text)};
}

/// The first of the elements [first, last) of which a byte is unwritten.
std::optional<std::int64_t> first_unwritten(const model::BoundArgument& output,
                                            std::span<const std::uint8_t> written, std::int64_t first,
                                            std::int64_t last) {
  const std::int64_t size = model::size_of(output.dtype);
  std::optional<std::int64_t> bare;
  oracle::for_elements(output, first, last, [&](std::int64_t e, std::int64_t offset) {
    if (bare) return;
    const auto bytes =
        written.subspan(static_cast<std::size_t>(offset * size), static_cast<std::size_t>(size));
    if (std::ranges::find(bytes, std::uint8_t{0}) != bytes.end()) bare = e;
  });
  return bare;
}

/// Linear numbers of the blocks whose threads are the elements of these rows.
std::vector<std::uint64_t> blocks_of(const model::Case& wide, std::int64_t row_elements,
                                     std::span<const std::int64_t> rows) {
  const std::int64_t threads = wide.launch.block[0];
  std::set<std::uint64_t> blocks;
  for (const std::int64_t row : rows) {
    const std::int64_t last = ((row + 1) * row_elements - 1) / threads;
    for (std::int64_t block = row * row_elements / threads; block <= last; ++block)
      blocks.insert(static_cast<std::uint64_t>(block));
  }
  return {blocks.begin(), blocks.end()};
}

/// A module on a device for as long as this lives.
struct Loaded {
  devices::Device& machine;
  devices::ModuleId module;
  Loaded(devices::Device& on, devices::ModuleId loaded) : machine(on), module(loaded) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { machine.unload(module); }
};

enum class Filling { first, inverted };

/// What the outputs hold before a launch.
devices::Outcome<void> fill(gates::CaseBuffers& buffers, Filling filling) {
  const auto filled = buffers.poison(1, false);
  return filled && filling == Filling::inverted ? buffers.poison_inverted() : filled;
}

/// Launches the blocks that write `rows` (empty: all), or all where those need others.
devices::Outcome<void> launch(devices::Device& machine, devices::ModuleId module, const model::Case& wide,
                              gates::CaseBuffers& buffers, std::span<const std::int64_t> rows,
                              Filling filling) {
  devices::LaunchOptions options;
  options.instruction_budget = wide.reference_budget != 0 ? wide.reference_budget : 2'000'000'000'000;
  options.timeout_ms = launch_limit_ms;
  for (const model::BoundArgument& argument : wide.arguments) {
    if (argument.role == ArgumentRole::output && !rows.empty())
      options.blocks = blocks_of(wide, argument.shape.back(), rows);
  }
  if (auto done = fill(buffers, filling); !done) return tl::make_unexpected(done.error());
  auto report = machine.launch(module, wide.launch, buffers.arguments(), options);
  if (report && !options.blocks.empty() && !report->blocks_independent) {
    options.blocks.clear();
    if (auto done = fill(buffers, filling); !done) return tl::make_unexpected(done.error());
    report = machine.launch(module, wide.launch, buffers.arguments(), options);
  }
  if (!report) return tl::make_unexpected(report.error());
  return machine.synchronize();
}

using Bytes = std::vector<devices::HostBytes>;

/// Where `bytes` still hold the repeated pattern.
bool holds(std::span<const std::byte> bytes, std::int64_t first, std::int64_t size, std::uint32_t pattern) {
  std::array<std::byte, 4> repeated{};
  std::memcpy(repeated.data(), &pattern, repeated.size());
  for (std::int64_t b = first; b < first + size; ++b) {
    if (bytes[static_cast<std::size_t>(b)] != repeated[static_cast<std::size_t>(b % 4)]) return false;
  }
  return true;
}

/// Of each output, as CaseBuffers::written_outputs(), what differs from one of two fillings.
std::vector<std::vector<std::uint8_t>> written_over(const model::Case& wide, const Bytes& first,
                                                    const std::vector<std::uint32_t>& first_patterns,
                                                    const Bytes& second,
                                                    const std::vector<std::uint32_t>& second_patterns) {
  std::vector<std::vector<std::uint8_t>> written(wide.arguments.size());
  for (std::size_t i = 0; i < wide.arguments.size(); ++i) {
    const model::BoundArgument& output = wide.arguments[i];
    if (output.role != ArgumentRole::output) continue;
    written[i].assign(first[i].span().size(), 1);
    if (output.zeroed) continue;  // the host filled it
    const std::int64_t size = model::size_of(output.dtype);
    oracle::in_ranges(
        static_cast<std::size_t>(oracle::element_count(output)), [&](std::size_t begin, std::size_t end) {
          oracle::for_elements(output, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                               [&](std::int64_t, std::int64_t offset) {
                                 if (holds(first[i].span(), offset * size, size, first_patterns[i]) &&
                                     holds(second[i].span(), offset * size, size, second_patterns[i]))
                                   written[i][static_cast<std::size_t>(offset * size)] = 0;
                               });
        });
  }
  return written;
}

/// Whole contents of what is judged, an empty entry for every other argument.
devices::Outcome<Bytes> read_judged(const gates::CaseBuffers& buffers, const model::Case& wide) {
  Bytes all(wide.arguments.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!model::is_judged(wide.arguments[i].role)) continue;
    auto bytes = buffers.read(i);
    if (!bytes) return tl::make_unexpected(bytes.error());
    all[i] = std::move(*bytes);
  }
  return all;
}

/// The elements of `output`, those of `rows` or all; in the place of them the first that nothing wrote.
tl::expected<std::vector<double>, std::int64_t> values_of(const model::BoundArgument& output,
                                                          std::span<const std::byte> bytes,
                                                          std::span<const std::uint8_t> written,
                                                          std::span<const std::int64_t> rows) {
  const std::int64_t row_elements = output.shape.empty() ? 1 : output.shape.back();
  const std::int64_t size = model::size_of(output.dtype);
  // Of what the host gave nothing shows here: find_untouched().
  const bool given = model::is_given(output.role) || output.zeroed;
  // Most references write everything, which one look at all bytes tells soonest; not one for each row.
  const bool whole = std::ranges::find(written, std::uint8_t{0}) == written.end();
  std::vector<double> values;
  std::optional<std::int64_t> bare;
  const auto take = [&](std::int64_t first, std::int64_t count) {
    const std::size_t at = values.size();
    values.resize(at + static_cast<std::size_t>(count));
    oracle::in_ranges(static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
      oracle::for_elements(output, first + static_cast<std::int64_t>(begin),
                           first + static_cast<std::int64_t>(end), [&](std::int64_t e, std::int64_t offset) {
                             values[at + static_cast<std::size_t>(e - first)] =
                                 oracle::load_element(output.dtype, bytes.data() + offset * size);
                           });
    });
    if (!given && !whole) bare = first_unwritten(output, written, first, first + count);
  };
  if (rows.empty()) take(0, oracle::element_count(output));
  for (const std::int64_t row : rows) {
    if (!bare) take(row * row_elements, row_elements);
  }
  if (!bare) return values;
  return tl::make_unexpected(*bare);
}

/// The bits of the elements of `output`, row-major over its shape.
std::vector<std::int64_t> words_of(const model::BoundArgument& output, std::span<const std::byte> bytes) {
  std::vector<std::int64_t> words(static_cast<std::size_t>(oracle::element_count(output)));
  oracle::for_elements(output, 0, oracle::element_count(output), [&](std::int64_t e, std::int64_t offset) {
    std::memcpy(&words[static_cast<std::size_t>(e)], bytes.data() + offset * 8, sizeof(std::int64_t));
  });
  return words;
}

}  // namespace

model::Expected<oracle::ReferenceOutputs> run_reference(devices::Device& machine, const ReferenceRun& run) {
  const model::Case& bound = run.bound;
  const std::string& file = run.artifact.source_file;
  const model::Case wide = widened(bound, run.real);
  const auto fails = [&](const model::Failure& failure) {
    model::Error error = error_of(failure, file);
    std::string scalars;  // cases give them other values
    for (const model::BoundArgument& argument : bound.arguments) {
      if (argument.role == ArgumentRole::scalar && model::is_floating(argument.dtype))
        scalars += fmt::format(", {} = {:.4g}", argument.name, argument.scalar_float);
    }
    std::string sizes;
    for (const auto& [axis, size] : bound.axes) sizes += fmt::format(" {}={}", axis, size);
    error.message += fmt::format(" (case {}:{}{})", bound.name, sizes, scalars);
    return tl::make_unexpected(error);
  };
  // What takes no device is done outside of a turn: others may time something meanwhile.
  oracle::InputBuffers inputs(run.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = widened(bound.arguments[i], wide.arguments[i], run.inputs[i]);
  devices::DeviceLock lock = machine.lock_device();
  const auto module = machine.load(run.artifact);
  if (!module) return fails(module.error());
  const Loaded loaded(machine, *module);
  auto buffers = gates::CaseBuffers::create(machine, wide, gates::as_allocated);
  if (!buffers) return fails(buffers.error());
  if (auto done = buffers->write_inputs(inputs); !done) return fails(done.error());
  if (auto done = launch(machine, *module, wide, *buffers, run.rows, Filling::first); !done)
    return fails(done.error());
  const auto contents = read_judged(*buffers, wide);
  if (!contents) return fails(contents.error());
  auto written = buffers->written_outputs();
  const bool knows = machine.launch_conditions() == nullptr;
  const bool any_output = std::ranges::any_of(wide.arguments, [](const model::BoundArgument& argument) {
    return argument.role == ArgumentRole::output;
  });
  if (!knows && any_output) {
    const std::vector<std::uint32_t> patterns = buffers->patterns();
    if (auto done = launch(machine, *module, wide, *buffers, run.rows, Filling::inverted); !done)
      return fails(done.error());
    const auto again = read_judged(*buffers, wide);
    if (!again) return fails(again.error());
    written = written_over(wide, *contents, patterns, *again, buffers->patterns());
  }
  const bool asks = run.ask_for_untouched;
  if (!asks) lock.reset();
  written.resize(bound.arguments.size());
  // Beyond its own launch a reference may leave its arrays: only where every access is checked is that
  // harmless.
  const auto beyond = [&]() -> std::optional<Untouched> {
    if (!knows) return std::nullopt;
    const devices::DeviceLock turn = asks ? devices::DeviceLock{} : machine.lock_device();
    return written_by_more_blocks(machine, *module, run.artifact, wide, inputs, {*contents, written});
  };
  if (run.words != nullptr) run.words->assign(bound.arguments.size(), {});
  oracle::ReferenceOutputs outputs(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(wide.arguments[i].role)) continue;
    auto values = values_of(wide.arguments[i], (*contents)[i].span(), written[i], run.rows);
    if (!values) {
      const auto more = run.rows.empty() ? beyond() : std::nullopt;
      return tl::make_unexpected(more ? too_few_threads(file, wide, *more)
                                      : left_unwritten(file, wide, {i, values.error()}));
    }
    outputs[i] = std::move(*values);
    if (run.words != nullptr && oracle::is_long_integer(wide.arguments[i].dtype))
      (*run.words)[i] = words_of(wide.arguments[i], (*contents)[i].span());
  }
  if (!asks) return outputs;
  // What keeps its contents shows nothing of a launch that is too small.
  if (bound.reference_guessed && may_hide_what_it_leaves(bound)) {
    if (const auto more = beyond()) return tl::make_unexpected(too_few_threads(file, wide, *more));
  }
  if (const auto bare = find_untouched(machine, *module, wide, inputs, outputs)) {
    const auto unreached = beyond();
    if (unreached) return tl::make_unexpected(too_few_threads(file, wide, *unreached));
    return tl::make_unexpected(left_alone(file, wide, *bare));
  }
  return outputs;
}

std::optional<std::uint64_t> count_instructions(devices::Device& machine, const ReferenceRun& run) {
  const model::Case wide = widened(run.bound, run.real);
  oracle::InputBuffers inputs(run.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = widened(run.bound.arguments[i], wide.arguments[i], run.inputs[i]);
  const devices::DeviceLock lock = machine.lock_device();
  const auto module = machine.load(run.artifact);
  if (!module) return std::nullopt;
  const Loaded loaded(machine, *module);
  auto buffers = gates::CaseBuffers::create(machine, wide, gates::as_allocated);
  if (!buffers || !buffers->write_inputs(inputs) || !fill(*buffers, Filling::first)) return std::nullopt;
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::none;
  if (wide.reference_budget != 0) options.instruction_budget = wide.reference_budget;
  options.timeout_ms = launch_limit_ms;
  const auto report = machine.launch(*module, wide.launch, buffers->arguments(), options);
  if (!report) return std::nullopt;
  return report->thread_instructions;
}

}  // namespace evo::evaluators::reference
