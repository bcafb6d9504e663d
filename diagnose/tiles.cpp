#include "diagnose/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "diagnose/session.hpp"
#include "evaluators/oracle/layout.hpp"

namespace evo::diagnose {
namespace {

namespace devices = evaluators::devices;
namespace oracle = evaluators::oracle;
using model::ArgumentRole;

constexpr std::uint32_t not_computed = 0x7fc0dead;  // a NaN that no arithmetic makes
constexpr std::int64_t most_elements = std::int64_t{1} << 24;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A stage with its sizes for one case.
struct Plan {
  const model::Stage* stage = nullptr;
  std::int64_t rows = 0, columns = 0, tile = 0, offset = 0;
};

/// Rows, columns and outer slices of an array: its last two dimensions, and all before them.
struct View {
  std::int64_t slices = 1, rows = 1, columns = 1;
};

View view_of(const model::BoundArgument& argument) {
  View view;
  const auto& shape = argument.shape;
  if (!shape.empty()) view.columns = shape.back();
  if (shape.size() > 1) view.rows = shape[shape.size() - 2];
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) view.slices *= shape[i];
  return view;
}

/// The slice that the worst element of the first wrong output is in.
std::int64_t worst_slice(const Observation& failing) {
  for (std::size_t i = 0; i < failing.comparisons.size(); ++i) {
    const auto& comparison = failing.comparisons[i];
    if (!comparison || comparison->pass || comparison->worst.empty()) continue;
    const auto& shape = failing.bound.arguments[i].shape;
    std::int64_t slice = 0;
    for (std::size_t d = 0; d + 2 < shape.size(); ++d)
      slice = slice * shape[d] + comparison->worst[0].coordinates[d];
    return slice;
  }
  return 0;
}

Tile output_tile(const Subject& subject, const Observation& failing, std::size_t index, std::int64_t slice) {
  const model::BoundArgument& argument = failing.bound.arguments[index];
  const View view = view_of(argument);
  slice = std::min(slice, view.slices - 1);
  const std::int64_t size = view.rows * view.columns;
  const std::vector<double> all = oracle::load_array(argument, failing.contents[index]);
  oracle::StageReference reference{view.rows, view.columns, {}, 0, {}};
  const auto from = [&](const std::vector<double>& values) {
    return std::vector<double>(values.begin() + slice * size, values.begin() + (slice + 1) * size);
  };
  reference.values = from(failing.references[index]);
  Tile tile;
  tile.actual = from(all);
  tile.expected = reference.values;
  tile.check = check_stage(reference, tile.actual, {}, subject.tolerance);
  tile.check.name = argument.name;
  tile.check.slice = slice;
  return tile;
}

std::vector<Plan> plan_stages(const Subject& subject, const Candidate& candidate, const model::Case& bound,
                              std::vector<std::string>& notes) {
  model::Environment environment = subject.space.fixed();
  for (const auto& [name, value] : candidate.genome.values()) environment.insert_or_assign(name, value);
  for (const auto& [name, value] : bound.axes) environment.insert_or_assign(name, value);
  std::vector<Plan> plans;
  std::int64_t offset = 0;
  for (const model::Stage& stage : subject.problem.stages) {
    if (probe_line(candidate.source, stage.name) == 0) continue;
    const auto rows = stage.rows.evaluate_integer(environment),
               columns = stage.columns.evaluate_integer(environment);
    const auto tile = stage.tile.evaluate_integer(environment);
    if (!rows || !columns || !tile || !subject.known.find_stage_formula(stage.formula)) {
      notes.push_back(fmt::format("stage {} is left out: {}", stage.name,
                                  !rows      ? rows.error().text()
                                  : !columns ? columns.error().text()
                                  : !tile    ? tile.error().text()
                                             : "there is no formula " + stage.formula));
      continue;
    }
    if (offset + *rows * *columns > most_elements) {
      notes.push_back(
          fmt::format("stage {} is left out: {} x {} elements are too many", stage.name, *rows, *columns));
      continue;
    }
    plans.push_back({&stage, *rows, *columns, *tile, offset});
    offset += *rows * *columns;
  }
  return plans;
}

std::string probe_source(const Subject& subject, const Candidate& candidate, const std::vector<Plan>& plans,
                         std::int64_t slice) {
  std::string text = fmt::format("#define EVO_PROBE_ENABLED 1\n#define EVO_PROBE_WANTED_SLICE {}LL\n", slice);
  for (const model::Stage& stage : subject.problem.stages) {
    const auto plan =
        std::find_if(plans.begin(), plans.end(), [&](const Plan& other) { return other.stage == &stage; });
    // A stage that is left out has no rows, so that its hook stores nothing.
    const Plan sizes = plan == plans.end() ? Plan{} : *plan;
    text += fmt::format(
        "#define EVO_PROBE_OFFSET_{0} {1}LL\n#define EVO_PROBE_ROWS_{0} {2}LL\n#define EVO_PROBE_COLUMNS_{0} "
        "{3}LL\n",
        stage.name, sizes.offset, sizes.rows, sizes.columns);
  }
  model::Template kernel = subject.kernel_template;
  kernel.source = candidate.source;
  return text + model::render_source(kernel, subject.space, candidate.genome);
}

devices::Outcome<std::vector<float>> dump(Lab& lab, const Setup& setup, const Observation& failing,
                                          const std::string& source, std::size_t elements) {
  auto artifact = lab.compile(source);
  if (!artifact) return tl::make_unexpected(artifact.error());
  std::vector<std::uint32_t> blank(std::max<std::size_t>(elements, 1), not_computed);
  const auto blank_bytes = std::as_bytes(std::span(blank));
  Session session(lab.device(), failing.bound);
  const std::size_t buffer = failing.bound.arguments.size();
  devices::LaunchOptions options;
  options.checks = devices::CheckLevel::none;
  options.instruction_budget = lab.subject().settings.instruction_budget;
  options.timeout_ms = lab.subject().settings.launch_timeout_ms;
  options.schedule_seed = setup.schedule_seed;
  const auto run = [&]() -> Session::Done {
    if (auto done = session.load(*artifact); !done) return done;
    if (auto done = session.allocate(setup.shift); !done) return done;
    if (auto done = session.append_buffer(blank_bytes, "probe"); !done) return done;
    if (auto done = session.write_inputs(failing.inputs); !done) return done;
    for (int launch = 1; launch <= std::max(failing.failing_launch, 1); ++launch) {
      if (launch == 1) {
        auto done = setup.workspace == WorkspaceFill::zero
                        ? session.zero(ArgumentRole::workspace)
                        : session.poison(ArgumentRole::workspace, setup.poison);
        if (!done) return done;
      }
      if (auto done = session.poison(ArgumentRole::output, setup.poison); !done) return done;
      if (auto done = session.write(buffer, blank_bytes); !done) return done;
      if (auto done = session.launch(options); !done) return done;
    }
    return {};
  };
  if (auto done = run(); !done) return tl::make_unexpected(done.error());
  const auto bytes = session.read(buffer, blank.size() * sizeof(float));
  if (!bytes) return tl::make_unexpected(bytes.error());
  std::vector<float> values(blank.size());
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

model::Tolerance loosened(model::Tolerance tolerance, double factor) {
  tolerance.relative_frobenius *= factor;
  tolerance.max_abs_over_rms *= factor;
  return tolerance;
}

/// The mistakes that a wrong matrix agrees with.
std::vector<std::string> matching(const Subject& subject, const oracle::StageRequest& request,
                                  const oracle::StageFormula& formula, const Tile& tile,
                                  const oracle::StageReference& reference,
                                  const std::vector<bool>& computed) {
  std::vector<std::string> matches;
  for (const oracle::Hypothesis& hypothesis : formula.hypotheses) {
    const auto mistaken = formula.compute(request, hypothesis.name);
    if (!mistaken) continue;
    // A mistake that changes nothing on this data explains nothing.
    if (check_stage(reference, mistaken->values, {}, subject.tolerance).correct) continue;
    // It must come close, and closer than the truth: small errors are near to many things.
    const StageCheck like = check_stage(*mistaken, tile.actual, computed, loosened(subject.tolerance, 4));
    const bool closer = tile.check.wrong + tile.check.not_computed > 0 ||
                        like.relative_frobenius <= 0.25 * tile.check.relative_frobenius;
    if (like.correct && closer) matches.emplace_back(hypothesis.name);
  }
  return matches;
}

/// The dumped matrix of one stage, compared.
model::Expected<Tile> stage_tile(const Subject& subject, const Observation& failing, const Plan& plan,
                                 std::int64_t slice, const std::vector<float>& values) {
  const oracle::StageFormula& formula = *subject.known.find_stage_formula(plan.stage->formula);
  const oracle::StageRequest request{failing.bound, failing.inputs, slice, plan.tile};
  const auto reference = formula.compute(request, {});
  if (!reference) return tl::make_unexpected(reference.error());
  if (reference->rows != plan.rows || reference->columns != plan.columns) {
    return tl::make_unexpected(model::Error{
        fmt::format("stage {}: the formula {} gives {} x {}, the problem declares {} x {}", plan.stage->name,
                    formula.name, reference->rows, reference->columns, plan.rows, plan.columns)});
  }
  Tile tile;
  std::vector<bool> computed;
  for (std::int64_t i = 0; i < plan.rows * plan.columns; ++i) {
    const float value = values[static_cast<std::size_t>(plan.offset + i)];
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    computed.push_back(bits != not_computed);
    tile.actual.push_back(bits == not_computed ? nan : double{value});
  }
  tile.expected = reference->values;
  tile.check = check_stage(*reference, tile.actual, computed, subject.tolerance);
  tile.check.name = plan.stage->name;
  tile.check.formula = plan.stage->formula;
  tile.check.slice = slice;
  if (!tile.check.correct)
    tile.check.matches = matching(subject, request, formula, tile, *reference, computed);
  return tile;
}

/// A hook may apply to some genomes only: a stage of which this build shows nothing at all, though it shows
/// others, is no stage of this genome.
void drop_what_is_not_shown(TileReport& report) {
  const auto blank = [](const Tile& tile) {
    return std::all_of(tile.actual.begin(), tile.actual.end(),
                       [](double value) { return std::isnan(value); }) &&
           tile.check.non_finite == 0;
  };
  if (std::all_of(report.tiles.begin(), report.tiles.end(), blank)) return;
  std::erase_if(report.tiles, [&](const Tile& tile) {
    if (!blank(tile)) return false;
    report.notes.push_back(fmt::format("stage {} does not show with these genes", tile.check.name));
    return true;
  });
}

}  // namespace

const Tile* TileReport::first_divergent() const {
  const auto found =
      std::find_if(tiles.begin(), tiles.end(), [](const Tile& tile) { return !tile.check.correct; });
  return found == tiles.end() ? nullptr : &*found;
}

int probe_line(const std::string& source, const std::string& stage) {
  std::istringstream lines(source);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("EVO_PROBE(" + stage + ",") != std::string::npos) return number;
  }
  return 0;
}

TileReport look_into(Lab& lab, const Setup& setup, const Observation& failing) {
  const Subject& subject = lab.subject();
  TileReport report;
  const std::int64_t slice = worst_slice(failing);
  const std::vector<Plan> plans = plan_stages(subject, subject.candidate, failing.bound, report.notes);
  report.hooks = !plans.empty() && subject.candidate.source.find("EVO_PROBE_PARAMETER") != std::string::npos;
  if (report.hooks) {
    const auto size =
        static_cast<std::size_t>(plans.back().offset + plans.back().rows * plans.back().columns);
    const auto values =
        dump(lab, setup, failing, probe_source(subject, subject.candidate, plans, slice), size);
    if (!values) {
      report.notes.push_back(fmt::format(
          "the build with probes did not run: {}",
          values.error().evidence.empty() ? values.error().reason : values.error().evidence[0].message));
    }
    for (const Plan& plan : plans) {
      if (!values) break;
      auto tile = stage_tile(subject, failing, plan, slice, *values);
      if (!tile) {
        report.notes.push_back(tile.error().text());
        continue;
      }
      tile->line = probe_line(subject.candidate.source, plan.stage->name);
      report.tiles.push_back(std::move(*tile));
    }
    drop_what_is_not_shown(report);
  }
  for (std::size_t i = 0; i < failing.bound.arguments.size(); ++i) {
    if (!model::is_judged(failing.bound.arguments[i].role) || failing.contents[i].empty()) continue;
    report.tiles.push_back(output_tile(subject, failing, i, slice));
  }
  return report;
}

namespace {

/// Position of the first divergent stage; behind all where none is.
std::size_t first_index(const TileReport& report) {
  const Tile* first = report.first_divergent();
  return first ? static_cast<std::size_t>(first - report.tiles.data()) : report.tiles.size();
}

/// Drops hypotheses that do not hold on other data.
void tell_apart(Lab& lab, const Setup& setup, TileReport& report) {
  const std::size_t index = first_index(report);
  if (index >= report.tiles.size()) return;
  std::vector<std::string>& matches = report.tiles[index].check.matches;
  for (std::size_t set = 0; set < lab.subject().input_sets.size() && matches.size() > 1 && !lab.expired();
       ++set) {
    if (set == setup.input_set) continue;
    Setup other = setup;
    other.input_set = set;
    const TileReport seen = look_into(lab, other, lab.observe(other));
    if (index >= seen.tiles.size() || seen.tiles[index].check.name != report.tiles[index].check.name)
      continue;
    const StageCheck& check = seen.tiles[index].check;
    // Right here, or wrong in no known way: this set says nothing.
    if (check.correct || check.matches.empty()) continue;
    std::erase_if(matches, [&](const std::string& match) {
      return std::find(check.matches.begin(), check.matches.end(), match) == check.matches.end();
    });
  }
}

}  // namespace

TileReport look_into_both(Lab& lab, const Setup& larger, const Observation& larger_failing,
                          const Setup& smaller, const Observation& smaller_failing) {
  TileReport small = look_into(lab, smaller, smaller_failing);
  TileReport large = look_into(lab, larger, larger_failing);
  const bool take_large = first_index(large) < large.tiles.size() && first_index(large) <= first_index(small);
  TileReport report = take_large ? std::move(large) : std::move(small);
  tell_apart(lab, take_large ? larger : smaller, report);
  return report;
}

}  // namespace evo::diagnose
