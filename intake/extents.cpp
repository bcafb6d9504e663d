#include "intake/extents.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "evaluators/devices/virtual/virtual_device.hpp"
#include "intake/types.hpp"
#include "model/expression.hpp"
#include "model/target.hpp"

namespace evo::intake {
namespace {

namespace devices = evaluators::devices;

/// Primes that are no factors of an element, so that each product says what it is one of. Times 32, or 16
/// where there are three sizes or more: tiles fit.
constexpr std::array<std::int64_t, 4> primes{5, 7, 11, 13};
constexpr std::uint64_t most_instructions = 2'000'000'000;
constexpr std::int64_t most_probed = std::int64_t{2} << 20;

model::TargetProfile probe_machine() {
  model::TargetProfile target;
  target.name = "intake";
  target.arch = "sm_80";
  target.compute_major = 8;
  target.max_threads_per_block = 1024;
  target.smem_per_block_optin = 163840;
  target.smem_per_sm = 167936;
  return target;
}

struct ShapeCandidate {
  std::vector<std::string> shape;
  std::int64_t elements = 0;
};

/// Products of the axes, with small factors, the smallest first; of equal ones the plainest.
std::vector<ShapeCandidate> candidates_of(const Draft& draft, const model::Environment& environment) {
  std::vector<ShapeCandidate> all;
  const std::size_t count = draft.axes.size();
  std::vector<ShapeCandidate> products;
  for (std::size_t set = 1; set < (std::size_t{1} << count); ++set) {
    ShapeCandidate product{{}, 1};
    for (std::size_t i = 0; i < count; ++i) {
      if ((set >> i & 1) == 0) continue;
      product.shape.push_back(draft.axes[i].name);
      product.elements *= std::get<std::int64_t>(environment.at(draft.axes[i].name));
    }
    products.push_back(product);
  }
  for (const DraftAxis& axis : draft.axes) {
    const std::int64_t size = std::get<std::int64_t>(environment.at(axis.name));
    products.push_back({{axis.name, axis.name}, size * size});
  }
  all.push_back({{"1"}, 1});
  for (const std::int64_t factor : {1, 2, 3, 4, 6, 8, 9, 16}) {
    for (ShapeCandidate product : products) {
      if (factor > 4 && product.shape.size() > 1) continue;
      product.elements *= factor;
      if (factor > 1 && product.shape.size() > 1) product.shape.push_back(std::to_string(factor));
      if (factor > 1 && product.shape.size() == 1)
        product.shape[0] = std::to_string(factor) + " * " + product.shape[0];
      all.push_back(std::move(product));
    }
  }
  for (const DraftAxis& axis : draft.axes)
    all.push_back({{axis.name + " + 1"}, std::get<std::int64_t>(environment.at(axis.name)) + 1});
  std::erase_if(all, [](const ShapeCandidate& each) { return each.elements > most_probed; });
  std::stable_sort(all.begin(), all.end(),
                   [](const ShapeCandidate& a, const ShapeCandidate& b) { return a.elements < b.elements; });
  return all;
}

std::optional<std::int64_t> integer_of(const std::string& text, const model::Environment& environment) {
  const auto expression = model::Expression::parse(text);
  if (!expression) return std::nullopt;
  const auto value = expression->evaluate_integer(environment);
  if (!value) return std::nullopt;
  return *value;
}

std::vector<std::byte> probe_scalar(const DraftArgument& argument, const model::Environment& environment) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(argument.dtype)));
  if (ElementType{argument.dtype}.floating()) {
    double value = 1;
    (void)std::from_chars(argument.value.data(), argument.value.data() + argument.value.size(), value);
    const auto narrow = static_cast<float>(value);
    if (bytes.size() == 8) std::memcpy(bytes.data(), &value, 8);
    if (bytes.size() == 4) std::memcpy(bytes.data(), &narrow, 4);
    return bytes;
  }
  const std::int64_t value = integer_of(argument.value, environment).value_or(1);
  std::memcpy(bytes.data(), &value, std::min<std::size_t>(bytes.size(), 8));
  return bytes;
}

class ShapeFinder {
 public:
  ShapeFinder(const Draft& draft, const model::Artifact& artifact)
      : draft_(draft), artifact_(artifact), device_(probe_machine()) {}

  std::vector<std::optional<FoundShape>> run(const std::vector<bool>& asked) {
    std::vector<std::optional<FoundShape>> found(draft_.arguments.size());
    if (draft_.axes.empty() || draft_.axes.size() > primes.size() || !bind()) return found;
    const auto module = device_.load(artifact_);
    if (!module) return found;
    module_ = *module;
    const std::vector<ShapeCandidate> all = candidates_of(draft_, environment_);
    // Room for any of them: what fails then, fails for another reason.
    const std::int64_t room = all.back().elements * 8;
    if (!fits({}, 0, room)) return found;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!asked[i] || draft_.arguments[i].role == "scalar" || spent_ > most_instructions) continue;
      const std::int64_t bytes = bytes_of(draft_.arguments[i].dtype);
      const auto first = std::partition_point(all.begin(), all.end(), [&](const ShapeCandidate& each) {
        return !fits(i, each.elements * bytes, room);
      });
      if (first == all.end()) continue;
      // One that is never touched fits anywhere.
      if (first == all.begin() && fits(i, 0, room)) continue;
      found[i] = FoundShape{first->shape, !fits(i, (first->elements - 1) * bytes, room)};
    }
    return found;
  }

 private:
  /// Sizes of axes, genes of the first genome, and the launch.
  bool bind() {
    for (std::size_t i = 0; i < draft_.axes.size(); ++i) {
      // A compile-time size is what it was compiled with.
      const bool fixed = draft_.axes[i].compile_time;
      environment_.insert_or_assign(
          draft_.axes[i].name,
          fixed ? draft_.axes[i].values.front() : primes[i] * (draft_.axes.size() > 2 ? 16 : 32));
    }
    for (const DraftGene& gene : draft_.genes) {
      const std::string& text = gene.initial.empty() ? gene.values.front() : gene.initial;
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc{} && end == text.data() + text.size())
        environment_.insert_or_assign(gene.name, value);
    }
    const auto sides = [&](const std::vector<std::string>& texts, std::array<std::uint32_t, 3>& into) {
      for (std::size_t i = 0; i < texts.size() && i < 3; ++i) {
        const auto value = integer_of(texts[i], environment_);
        if (!value || *value < 1 || *value > 1'000'000) return false;
        into[i] = static_cast<std::uint32_t>(*value);
      }
      return true;
    };
    if (!sides(draft_.launch.grid, plan_.grid) || !sides(draft_.launch.block, plan_.block)) return false;
    if (!draft_.launch.dynamic_smem.empty()) {
      const auto bytes = integer_of(draft_.launch.dynamic_smem, environment_);
      if (!bytes || *bytes < 0) return false;
      plan_.dynamic_smem = static_cast<std::uint32_t>(*bytes);
    }
    return true;
  }

  /// Whether the kernel stays in bounds with `bytes` for the argument `index`, and `room` for all others.
  bool fits(std::optional<std::size_t> index, std::int64_t bytes, std::int64_t room) {
    std::vector<devices::KernelArgument> arguments;
    std::vector<devices::BufferId> buffers;
    bool good = true;
    for (std::size_t i = 0; i < draft_.arguments.size() && good; ++i) {
      const DraftArgument& argument = draft_.arguments[i];
      if (argument.role == "scalar") {
        arguments.emplace_back(probe_scalar(argument, environment_));
        continue;
      }
      const auto size = static_cast<std::uint64_t>(index == i ? bytes : room);
      const auto buffer = device_.allocate({size, 0, argument.name});
      good = buffer.has_value();
      if (!good) break;
      buffers.push_back(*buffer);
      if (zeros_.size() < size) zeros_.resize(size);
      if (size > 0) good = device_.write(*buffer, std::span(zeros_).first(size)).has_value();
      arguments.emplace_back(devices::BufferArgument{*buffer});
    }
    devices::LaunchOptions options;
    options.checks = devices::CheckLevel::none;
    options.instruction_budget = 200'000'000;
    if (good) {
      const auto report = device_.launch(module_, plan_, arguments, options);
      good = report.has_value();
      if (report) last_ = report->thread_instructions;
      spent_ += last_;
    }
    for (const devices::BufferId buffer : buffers) device_.release(buffer);
    return good;
  }

  const Draft& draft_;
  const model::Artifact& artifact_;
  devices::VirtualDevice device_;
  devices::ModuleId module_ = 0;
  model::Environment environment_;
  model::LaunchPlan plan_;
  std::vector<std::byte> zeros_;
  std::uint64_t last_ = 0, spent_ = 0;  ///< thread instructions
};

}  // namespace

std::vector<std::optional<FoundShape>> find_shapes(const Draft& draft, const model::Artifact& artifact,
                                                   const std::vector<bool>& asked) {
  return ShapeFinder(draft, artifact).run(asked);
}

}  // namespace evo::intake
