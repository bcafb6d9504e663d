#include "intake/probe_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "config/problem_parts.hpp"
#include "intake/struct_fields.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

namespace devices = evaluators::devices;

constexpr std::uint64_t most_blocks = 1U << 18;
/// What a block costs beside its instructions, in those.
constexpr std::uint64_t cost_of_block = 300;
/// Of more blocks than the second, so many tell what all take.
constexpr std::uint64_t told_by_blocks = 64, most_counted_blocks = 256;

/// The first, the last, and others in between, as far apart from each other; none where all should run.
std::vector<std::uint64_t> spread_over(std::uint64_t blocks) {
  std::vector<std::uint64_t> some;
  if (blocks <= most_counted_blocks) return some;
  for (std::uint64_t i = 0; i < told_by_blocks; ++i) some.push_back(i * (blocks - 1) / (told_by_blocks - 1));
  return some;
}

bool has_symbol(const DraftArgument& argument) {
  return std::any_of(argument.keys.begin(), argument.keys.end(),
                     [](const auto& key) { return key.first == "symbol"; });
}

}  // namespace

std::int64_t ProbeRun::element_bytes(std::size_t argument) const {
  const std::string& dtype = draft_.arguments[argument].dtype;
  const std::vector<DraftField>& fields = draft_.arguments[argument].fields;
  if (!fields.empty()) return field_offsets(fields, whose_ == Probed::reference).back();
  return whose_ == Probed::reference && ElementType{dtype}.floating() ? 8 : bytes_of(dtype);
}

bool ProbeRun::takes(std::size_t argument) const {
  const DraftArgument& each = draft_.arguments[argument];
  return whose_ == Probed::reference || (!each.reference_only && !has_symbol(each));
}

bool ProbeRun::set_launch(const std::vector<std::string>& grid, const std::vector<std::string>& block,
                          const std::string& dynamic_smem) {
  plan_.grid = plan_.block = {1, 1, 1};
  const auto sides = [&](const std::vector<std::string>& texts, std::array<std::uint32_t, 3>& into) {
    for (std::size_t i = 0; i < texts.size() && i < 3; ++i) {
      const auto value = value_of(texts[i]);
      if (!value || *value < 1 || *value > 1'000'000) return false;
      into[i] = static_cast<std::uint32_t>(*value);
    }
    return true;
  };
  if (!sides(grid, plan_.grid) || !sides(block, plan_.block)) return false;
  if (blocks() > most_blocks) return false;
  plan_.dynamic_smem = 0;
  if (dynamic_smem.empty()) return true;
  const auto bytes = value_of(dynamic_smem);
  if (!bytes || *bytes < 0) return false;
  plan_.dynamic_smem = static_cast<std::uint32_t>(*bytes);
  return true;
}

std::shared_ptr<const devices::TextureBinding> ProbeRun::object_of(std::size_t argument) const {
  const DraftArgument& draft = draft_.arguments[argument];
  if (whose_ == Probed::reference) return nullptr;
  for (const auto& [key, value] : draft.keys) {
    if (key != "texture" && key != "surface") continue;
    std::vector<std::int64_t> shape;
    for (const std::string& size : draft.shape)
      shape.push_back(std::max<std::int64_t>(value_of(size).value_or(1), 1));
    try {
      const model::Argument read = config::read_argument(config::Reader(
          YAML::Load(fmt::format("{{name: {}, role: {}, dtype: {}, shape: [{}], {}: {}}}", draft.name,
                                 draft.role, draft.dtype, fmt::join(shape, ", "), key, value)),
          "", ""));
      if (!read.texture || model::texture_objection(*read.texture, shape)) return nullptr;
      return std::make_shared<const devices::TextureBinding>(devices::TextureBinding{
          *read.texture, read.dtype, model::texture_extent(*read.texture, shape), draft.name});
    } catch (const config::Invalid&) {
      return nullptr;  // whoever loads the problem hears of it
    } catch (const YAML::Exception&) {
      return nullptr;
    }
  }
  return nullptr;
}

std::uint64_t ProbeRun::blocks() const {
  return std::uint64_t{plan_.grid[0]} * plan_.grid[1] * plan_.grid[2];
}

void ProbeRun::set_launch(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block) {
  plan_.grid = grid;
  plan_.block = block;
  plan_.dynamic_smem = 0;
}

bool ProbeRun::launch(const std::vector<std::int64_t>& bytes, ProbeFill how, unsigned seed,
                      std::vector<std::vector<std::byte>>* before,
                      std::vector<std::vector<std::byte>>* after) {
  std::vector<devices::KernelArgument> arguments;
  std::vector<std::pair<std::size_t, devices::BufferId>> buffers;
  model::LaunchPlan plan = plan_;
  std::vector<std::uint32_t> taken;
  bool good = ready_;
  std::uint64_t filled = 0;  // bytes
  std::vector<std::byte> contents;
  for (std::size_t i = 0; i < draft_.arguments.size() && good; ++i) {
    const DraftArgument& argument = draft_.arguments[i];
    if (takes(i)) taken.push_back(static_cast<std::uint32_t>(arguments.size()));
    for (const auto& [key, value] : argument.keys) {
      if (key == "symbol" && whose_ == Probed::kernel)
        plan.symbols.push_back({static_cast<std::uint32_t>(arguments.size()), value});
    }
    if (argument.role == "scalar") {
      arguments.emplace_back(scalar(argument));
      continue;
    }
    auto size = static_cast<std::uint64_t>(bytes[i]);
    const auto object = object_of(i);
    if (object != nullptr) size = std::max(size, object->bytes());
    const auto buffer = device_.allocate({size, 0, argument.name});
    good = buffer.has_value();
    if (!good) break;
    buffers.emplace_back(i, *buffer);
    filled += size;
    contents.resize(size);
    fill(i, how, seed, contents);
    // A counter that begins at zero: what it adds up is an index.
    if (before == nullptr && begins_with_zeros(argument)) std::ranges::fill(contents, std::byte{0});
    if (before != nullptr && argument.role == "output") scatter(i, seed, contents);
    if (soiled_ && soiled_->first == i) {
      const Soil& soil = soiled_->second;
      const std::size_t elements = size / static_cast<std::uint64_t>(element_bytes(i));
      for (std::size_t e = 0; e < elements; ++e) {
        const auto step = static_cast<std::int64_t>(e) % std::abs(soil.numbers);
        put_number(soil.first + (soil.numbers < 0 ? -step : step), i, e, contents);
      }
    }
    if (before != nullptr) (*before)[i] = contents;
    if (size > 0) good = device_.write(*buffer, contents).has_value();
    arguments.emplace_back(devices::BufferArgument{*buffer, object});
  }
  plan.arguments = taken;
  for (std::size_t i = 0; i < draft_.arguments.size() && whose_ == Probed::kernel; ++i) {
    const DraftPlace& place = draft_.arguments[i].place;
    if (place.structure.empty()) continue;
    if (i == 0 || draft_.arguments[i - 1].place.structure != place.structure)
      plan.structs.push_back({static_cast<std::uint32_t>(i), place.bytes, {}});
    plan.structs.back().offsets.push_back(place.offset);
  }
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::none;
  options.stop_at_fault = true;
  options.instruction_budget = budget_;
  options.count = count_;
  double share = 1;  // of the blocks
  if (count_) {
    if (sampled_) options.blocks = spread_over(blocks());
    if (!options.blocks.empty())
      share = static_cast<double>(options.blocks.size()) / static_cast<double>(blocks());
    // What some blocks take of what all may.
    options.whole_budget = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(share * static_cast<double>(budget_)), most_of_a_launch / 16);
  }
  ran_out_ = false;
  if (good) {
    const auto report = device_.launch(module_, plan, arguments, options);
    good = report.has_value();
    // One that runs for ever is not asked often; one that leaves an array ends early.
    const bool endless = !report && report.error().status == model::Status::timeout;
    ran_out_ = endless;
    const std::uint64_t fixed = filled + cost_of_block * blocks();
    if (report)
      warps_ = static_cast<std::uint64_t>(static_cast<double>(report->counts.warp_instructions) / share);
    if (report) threads_ = report->thread_instructions;
    // A warp takes as long for one thread as for all of them, but for what each of these does in memory.
    const std::uint64_t lanes = std::clamp<std::uint64_t>(threads_of_a_block(), 1, 32),
                        slower = (32 / lanes + 3) / 4;
    const std::uint64_t cost = report ? slower * report->thread_instructions + fixed : 0;
    largest_ = std::max(largest_, cost);
    spent_ += report ? cost : endless ? 5 * most_of_a_launch : std::max(most_of_a_launch / 100, largest_ / 4);
  }
  for (const auto& [index, buffer] : buffers) {
    if (good && after != nullptr && bytes[index] > 0) {
      (*after)[index].resize(static_cast<std::size_t>(bytes[index]));
      good = device_.read(buffer, (*after)[index]).has_value();
    }
    device_.release(buffer);
  }
  return good;
}

bool ProbeRun::fits(const std::vector<std::int64_t>& bytes, ProbeFill fill) {
  return launch(bytes, fill, 0, nullptr, nullptr);
}

std::optional<std::vector<std::vector<std::uint8_t>>> ProbeRun::left_alone(
    const std::vector<std::int64_t>& bytes, unsigned fillings) {
  const std::size_t count = draft_.arguments.size();
  std::vector<std::vector<std::uint8_t>> alone(count);
  for (unsigned seed = 1; seed <= fillings; ++seed) {
    std::vector<std::vector<std::byte>> before(count), after(count);
    if (!launch(bytes, ProbeFill::mixed, seed, &before, &after)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& role = draft_.arguments[i].role;
      if (role != "output" && role != "inout") continue;
      const auto size = static_cast<std::size_t>(element_bytes(i));
      alone[i].resize(after[i].size() / size, 1);
      const std::byte *was = before[i].data(), *is = after[i].data();
      for (std::size_t e = 0; e < alone[i].size(); ++e, was += size, is += size) {
        if (alone[i][e] != 0 && std::memcmp(was, is, size) != 0) alone[i][e] = 0;
      }
    }
  }
  return alone;
}

}  // namespace evo::intake
