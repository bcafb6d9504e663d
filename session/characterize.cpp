#include "session/characterize.hpp"

#include <algorithm>
#include <filesystem>
#include <new>
#include <span>

#include <fmt/format.h>

#include "config/loader.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/oracle/layout.hpp"
#include "model/error.hpp"
#include "session/kernel_comparators.hpp"
#include "session/load.hpp"
#include "session/targets.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// Takes the kernel at some shapes up the ladder together.
class Prover {
 public:
  Prover(const Compared& kernel, const std::vector<GridShape>& shapes, const StackOf& stack_of,
         const Tell& tell, const std::stop_token& stop)
      : kernel_(kernel), shapes_(shapes), stack_of_(stack_of), tell_(tell), stop_(stop) {}

  std::vector<ProvenShape> run() {
    found_.resize(shapes_.size());
    std::vector<Group> groups;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const auto bound = bind_for(kernel_.experiment, kernel_.variant, shapes_[i].workload);
      if (!bound) {
        found_[i].refused = ShapeRefusal{"legality", bound.error()};
        continue;
      }
      const std::int64_t bytes = oracle::case_bytes(*bound);
      const auto fits = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return compile_time_axes(group.shapes.front()) == compile_time_axes(i) &&
               group.bytes + bytes <= together_bytes;
      });
      Group& group = fits == groups.end() ? groups.emplace_back() : *fits;
      group.shapes.push_back(i);
      group.bytes += bytes;
    }
    for (const Group& group : groups) prove(group.shapes);
    return std::move(found_);
  }

 private:
  struct Group {
    std::vector<std::size_t> shapes;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] std::vector<std::int64_t> compile_time_axes(std::size_t shape) const {
    std::vector<std::int64_t> values;
    for (const model::Axis& axis : kernel_.experiment.problem.axes) {
      const auto& axes = shapes_[shape].workload.axes;
      const auto found = axes.find(axis.name);
      if (axis.compile_time) values.push_back(found == axes.end() ? 0 : found->second);
    }
    return values;
  }

  void prove(std::span<const std::size_t> group) {
    if (stop_.stop_requested()) return refuse(group, {"timing", "interrupted"});
    if (tell_)
      tell_(fmt::format("proving {} at {}{}", kernel_.given, shapes_[group.front()].workload.name,
                        group.size() > 1 ? fmt::format(" and {} more shapes", group.size() - 1) : ""));
    const auto refusal = refusal_of(group);
    if (!refusal) return;
    // What the compiler says of the one source it says of every shape.
    if (group.size() == 1 || refusal->gate == "compile" || refusal->gate == "resources")
      return refuse(group, *refusal);
    prove(group.first(group.size() / 2));
    prove(group.subspan(group.size() / 2));
  }

  /// Up the ladder once: latencies, or why there are none. What evaluates is gone when it returns.
  std::optional<ShapeRefusal> refusal_of(std::span<const std::size_t> group) {
    model::Experiment experiment = kernel_.experiment;
    experiment.workloads.clear();
    for (const std::size_t i : group) experiment.workloads.push_back(shapes_[i].workload);
    config::complete_workloads(experiment);
    try {
      const auto stack = stack_of_(experiment);
      const model::Experiment& settled = stack->ladder().experiment();
      const model::Template* kernel = settled.problem.find_template(kernel_.variant.template_name);
      const gates::TemplateContext context = gates::make_context(settled, *kernel);
      const gates::GateReport report =
          gates::prove(stack->ladder(), model::make_variant(*kernel, context.space, kernel_.variant.genome));
      if (const model::Failure* failure = report.failure())
        return ShapeRefusal{report.failed_gate(), benchmark::line_of(*failure)};
      for (std::size_t k = 0; k < group.size() && k < report.evaluation.latencies.size(); ++k)
        found_[group[k]].latency = report.evaluation.latencies[k].latency;
    } catch (const model::Exception& error) {
      // The oracle has no answer to a shape that nobody wrote: recorded files, a program that refuses it.
      if (error.code() != model::ExitCode::invalid_configuration) throw;
      return ShapeRefusal{"oracle", error.what()};
    } catch (const std::bad_alloc&) {
      return ShapeRefusal{"oracle", "its arrays do not fit the memory of this machine"};
    }
    return std::nullopt;
  }

  void refuse(std::span<const std::size_t> group, const ShapeRefusal& refusal) {
    for (const std::size_t i : group) found_[i].refused = refusal;
  }

  const Compared& kernel_;
  const std::vector<GridShape>& shapes_;
  const StackOf& stack_of_;
  const Tell& tell_;
  const std::stop_token& stop_;
  std::vector<ProvenShape> found_;
};

CharacterizedKernel named(const Compared& kernel, std::string label) {
  return {kernel.given,      kernel.kind,          std::move(label), kernel.variant.template_name,
          kernel.variant.id, kernel.variant.genome};
}

/// What the subject is called beside others.
std::string label_of(const Compared& kernel) {
  return kernel.kind == "run" && !kernel.variant.label.empty() ? kernel.variant.label : "kernel";
}

/// The baseline that goes with the subject, or why none does.
std::optional<Compared> baseline_of(const CharacterizeRequest& request, Compared& subject,
                                    std::string& none) {
  if (request.no_baseline) {
    none = "it was not wanted";
    return std::nullopt;
  }
  std::optional<Compared> baseline;
  if (!request.baseline.empty()) {
    auto sides = read_compared(request.subject, request.baseline, request.source);
    subject = std::move(sides[0]);
    baseline = std::move(sides[1]);
  } else if (subject.kind == "run") {
    const std::string run = request.subject.substr(0, request.subject.rfind('@'));
    std::error_code ignored;
    baseline = read_compared(
        (std::filesystem::exists(request.subject, ignored) ? request.subject : run) + "@baseline", {});
  } else {
    none = fmt::format("{} names none; --baseline does", request.subject);
    return std::nullopt;
  }
  if (baseline->variant.id == subject.variant.id) {
    none = "the subject is the baseline";
    return std::nullopt;
  }
  return baseline;
}

}  // namespace

std::string_view name_of(Role role) {
  switch (role) {
    case Role::subject:
      return "subject";
    case Role::baseline:
      return "baseline";
    case Role::comparator:
      return "comparator";
  }
  return "?";
}

const ShapeFigure* CharacterizedShape::subject() const {
  return figures.empty() ? nullptr : &figures.front();
}

const ShapeFigure* CharacterizedShape::find(std::string_view contender) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const ShapeFigure& figure) { return figure.contender == contender; });
  return found == figures.end() ? nullptr : &*found;
}

bool Characterization::all_refused() const {
  return std::all_of(shapes.begin(), shapes.end(),
                     [](const CharacterizedShape& shape) { return shape.refused.has_value(); });
}

CharacterizeSubject read_characterize_subject(const CharacterizeRequest& request) {
  CharacterizeSubject read;
  Compared subject = read_compared(request.subject, request.source);
  std::optional<Compared> baseline = baseline_of(request, subject, read.no_baseline);
  read.kernels.push_back(std::move(subject));
  if (baseline) read.kernels.push_back(std::move(*baseline));
  const model::Experiment& first = read.kernels.front().experiment;
  read.grid = read_grid(request.axes, first.problem);
  if (read.grid.empty()) {
    for (const model::Workload& workload : first.workloads) read.shapes.push_back({{}, workload});
  } else {
    read.shapes = shapes_of(read.grid, first.workloads.front());
  }
  for (Compared& kernel : read.kernels) {
    model::Experiment& experiment = kernel.experiment;
    if (!request.source.target.empty())
      set_target_or_throw(experiment, request.source.target, model::ExitCode::usage);
    apply_overrides_or_throw(experiment, request.source.set);
    experiment.workloads.clear();
    for (const GridShape& shape : read.shapes) experiment.workloads.push_back(shape.workload);
    config::complete_workloads(experiment);
  }
  for (std::size_t i = 0; i < read.shapes.size(); ++i)
    read.shapes[i].workload = read.kernels.front().experiment.workloads[i];
  if (request.no_comparators) return read;
  for (KernelComparator& one : kernel_comparators(read.kernels.front().experiment))
    read.others.push_back({one.name, "comparator", std::move(one.experiment), std::move(one.variant)});
  return read;
}

std::vector<ProvenShape> prove_shapes(const Compared& kernel, const std::vector<GridShape>& shapes,
                                      const StackOf& stack_of, const Tell& tell,
                                      const std::stop_token& stop) {
  return Prover(kernel, shapes, stack_of, tell, stop).run();
}

Characterization begin_characterization(const CharacterizeSubject& subject,
                                        const std::vector<std::vector<ProvenShape>>& proven) {
  Characterization found;
  const Compared& kernel = subject.kernels.front();
  const model::Experiment& experiment = kernel.experiment;
  found.problem = experiment.problem.name;
  found.target = experiment.target.name;
  found.accuracy_class = experiment.accuracy_class;
  found.subject = named(kernel, label_of(kernel));
  if (subject.kernels.size() > 1)
    found.baseline = named(subject.kernels[1], found.subject.label == "baseline" ? "against" : "baseline");
  found.no_baseline = subject.no_baseline;
  found.arithmetic = arithmetic_of(experiment.problem);
  found.grid = subject.grid;
  if (subject.shapes.size() == 1 || !subject.grid.empty()) {
    found.fixed = subject.shapes.front().workload.axes;
    for (const GridAxis& axis : found.grid) found.fixed.erase(axis.name);
  }
  for (std::size_t i = 0; i < subject.shapes.size(); ++i) {
    CharacterizedShape& shape = found.shapes.emplace_back();
    shape.shape = subject.shapes[i];
    if (!proven.empty()) shape.refused = proven.front()[i].refused;
    if (const auto bound = bind_for(experiment, kernel.variant, shape.shape.workload)) {
      shape.flops = experiment.problem.work.assumed ? 0 : bound->flops;
      shape.bytes = bound->bytes;
    }
  }
  return found;
}

Characterization characterize_modelled(const CharacterizeSubject& subject, const StackOf& stack_of,
                                       const Tell& tell, const std::stop_token& stop) {
  std::vector<std::vector<ProvenShape>> proven;
  EvaluatorInfo info;
  const StackOf noting = [&](const model::Experiment& experiment) {
    auto stack = stack_of(experiment);
    info = stack->ladder().info();
    return stack;
  };
  for (const Compared& kernel : subject.kernels)
    proven.push_back(prove_shapes(kernel, subject.shapes, noting, tell, stop));
  Characterization found = begin_characterization(subject, proven);
  found.latency_kind = "modelled";
  found.device_kind = "virtual";
  found.device_name = info.device_name.empty() ? "not used" : info.device_name;
  found.toolchain = info.toolchain;
  found.ceilings = ceilings_of(subject.kernels.front().experiment.target);
  found.no_state = "the virtual device has no clocks, power or temperature";
  for (const Compared& kernel : subject.others)
    proven.push_back(prove_shapes(kernel, subject.shapes, noting, tell, stop));
  for (const model::Comparator& one : model::comparators_of(subject.kernels.front().experiment.problem))
    if (!one.kernel) found.comparators.push_back({one.name, "libraries are not modelled"});
  for (const Compared& kernel : subject.others) found.comparators.push_back({kernel.given, {}});
  for (std::size_t i = 0; i < found.shapes.size(); ++i) {
    CharacterizedShape& shape = found.shapes[i];
    if (shape.refused) continue;
    for (std::size_t k = 0; k < proven.size(); ++k) {
      ShapeFigure& figure = shape.figures.emplace_back();
      const std::size_t own_kernels = subject.kernels.size();
      figure.contender = k == 0            ? found.subject.label
                         : k < own_kernels ? found.baseline->label
                                           : subject.others[k - own_kernels].given;
      figure.role = k == 0 ? Role::subject : k < own_kernels ? Role::baseline : Role::comparator;
      figure.latency = proven[k][i].latency;
      if (proven[k][i].refused) figure.unavailable = proven[k][i].refused->reason;
      const auto& own = shape.figures.front().latency;
      if (k == 0 || !own || !figure.latency) continue;
      const double ratio = figure.latency->microseconds / own->microseconds;
      figure.speedup = {ratio, {ratio, ratio}};
    }
    const auto& own = shape.figures.front().latency;
    if (!own) continue;
    if (found.method.empty()) found.method = own->method;
    // The model fetches every byte from DRAM once.
    shape.memory_roof = "dram";
    shape.share = share_of_roof(found.ceilings, shape.memory_roof, found.arithmetic, shape.flops, shape.bytes,
                                own->microseconds);
  }
  return found;
}

}  // namespace evo::session
