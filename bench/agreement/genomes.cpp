// Random genomes of an experiment's space on both devices, outputs compared.
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "bench/agreement/pair.hpp"
#include "config/loader.hpp"
#include "engine/search_space.hpp"
#include "evaluators/gates/case_buffers.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/known_names.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"
#include "model/random.hpp"
#include "model/variant.hpp"
#include "mutators/sampling.hpp"
#include "packs/builtin.hpp"

namespace evo::bench {
namespace {

namespace devices = evaluators::devices;
namespace gates = evaluators::gates;

[[noreturn]] void fail(const model::Failure& failure) {
  std::string text = fmt::format("{} ({})", model::name_of(failure.status), failure.reason);
  for (const auto& item : failure.evidence) text += "\n  " + item.message;
  throw model::Exception(model::ExitCode::failed, text);
}

/// Elements of every output, without the gaps of a view.
devices::Outcome<std::vector<std::byte>> read_outputs(const gates::CaseBuffers& buffers,
                                                      const model::Case& bound) {
  std::vector<std::byte> gathered;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (argument.role != model::ArgumentRole::output) continue;
    const auto bytes = buffers.read(i);
    if (!bytes) return tl::make_unexpected(bytes.error());
    const auto size = static_cast<std::int64_t>(model::size_of(argument.dtype));
    for (const evaluators::oracle::Row& row : evaluators::oracle::rows_of(argument)) {
      const auto run = bytes->span().subspan(static_cast<std::size_t>(row.offset * size),
                                             static_cast<std::size_t>(row.count * size));
      gathered.insert(gathered.end(), run.begin(), run.end());
    }
  }
  return gathered;
}

/// Output bytes of one launch, poisoned before it.
devices::Outcome<std::vector<std::byte>> outputs(devices::Device& device, const model::Artifact& artifact,
                                                 const model::Case& bound,
                                                 const evaluators::oracle::InputBuffers& inputs) {
  const auto module = device.load(artifact);
  if (!module) return tl::make_unexpected(module.error());
  auto buffers = gates::CaseBuffers::create(device, bound, gates::in_turn(bound, 0));
  if (!buffers) return tl::make_unexpected(buffers.error());
  if (const auto done = buffers->write_inputs(inputs); !done) return tl::make_unexpected(done.error());
  if (const auto done = buffers->poison(1, false); !done) return tl::make_unexpected(done.error());
  const auto launched = device.launch(*module, bound.launch, buffers->arguments(), {});
  if (!launched) return tl::make_unexpected(launched.error());
  if (const auto done = device.synchronize(); !done) return tl::make_unexpected(done.error());
  auto bytes = read_outputs(*buffers, bound);
  device.unload(*module);
  return bytes;
}

struct Difference {
  std::size_t elements = 0, differing = 0;
  double worst_relative_to_rms = 0;
};

Difference compare(model::DType dtype, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  Difference difference;
  const auto size = static_cast<std::size_t>(model::size_of(dtype));
  double squares = 0, worst = 0;
  for (std::size_t i = 0; i + size <= a.size(); i += size) {
    ++difference.elements;
    const double x = evaluators::oracle::load_element(dtype, &a[i]);
    const double y = evaluators::oracle::load_element(dtype, &b[i]);
    squares += x * x;
    if (std::memcmp(&a[i], &b[i], size) == 0) continue;
    ++difference.differing;
    const double distance = std::abs(x - y);
    worst = !(distance <= worst) ? distance : worst;  // a NaN stays
  }
  difference.worst_relative_to_rms = worst / std::sqrt(squares / static_cast<double>(difference.elements));
  return difference;
}

/// Of the first output.
model::DType output_dtype(const model::Case& bound) {
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::output) return argument.dtype;
  }
  throw model::Exception(model::ExitCode::invalid_configuration, "the problem has no output");
}

}  // namespace

int compare_genomes(DevicePair& pair, const std::string& experiment_file, int count, std::uint64_t seed) {
  const auto path =
      config::default_search_path(evaluators::process::self_path(),
                                  evaluators::oracle::known_names(packs::catalogue_of(packs::builtin())));
  const auto experiment = config::load_experiment(experiment_file, {}, path);
  if (!experiment) throw model::Exception(model::ExitCode::invalid_configuration, experiment.error().text());
  const engine::SearchSpace space = engine::make_search_space(*experiment);
  std::vector<const engine::SearchTemplate*> templates;  // those that the virtual device runs in all variants
  for (const engine::SearchTemplate& entry : space.templates) {
    if (entry.kernel_template.sync_checkable) templates.push_back(&entry);
  }
  if (templates.empty())
    throw model::Exception(model::ExitCode::invalid_configuration, "no template runs on the virtual device");
  int disagreeing = 0, compared = 0;
  for (const bool fmad : {false, true}) {
    std::size_t elements = 0, differing = 0;
    double worst = 0;
    int bit_equal = 0, tried = 0;
    for (int k = 0; k < count; ++k) {
      const engine::SearchTemplate& entry = *templates[static_cast<std::size_t>(k) % templates.size()];
      model::RandomStream random({seed, 0, static_cast<std::uint64_t>(k), "agreement"});
      const auto genome = mutators::random_legal(entry.space, random);
      if (!genome) continue;
      const model::Variant variant = model::make_variant(entry.kernel_template, entry.space, *genome);
      evaluators::compile::CompileRequest request;
      request.source = variant.source;
      request.source_file = entry.kernel_template.source_file;
      request.entry = entry.kernel_template.entry;
      request.arch = pair.arch();
      request.headers = entry.kernel_template.headers;
      if (!fmad) request.options = {"--fmad=false"};
      const auto artifact = pair.compiler().compile(request);
      if (!artifact) fail(artifact.error());
      // A different odd shape each time, all input kinds in turn.
      const auto& shapes = experiment->problem.check_workloads;
      const auto bound =
          model::bind_case(experiment->problem, entry.kernel_template, entry.space, *genome,
                           shapes[static_cast<std::size_t>(k) / templates.size() % shapes.size()]);
      if (!bound) throw model::Exception(model::ExitCode::failed, bound.error().text());
      const auto& sets = experiment->problem.input_sets;
      const auto inputs = evaluators::oracle::make_inputs(
          packs::catalogue_of(packs::builtin()), *bound,
          sets[static_cast<std::size_t>(k) / templates.size() % sets.size()], {seed, 0});
      if (!inputs) throw model::Exception(model::ExitCode::failed, inputs.error().text());
      const auto on_gpu = outputs(pair.gpu(), *artifact, *bound, *inputs);
      const auto on_machine = outputs(pair.machine(), *artifact, *bound, *inputs);
      ++tried;
      if (!on_gpu || !on_machine) {
        const auto& failure = on_gpu ? on_machine.error() : on_gpu.error();
        fmt::print("{}: {} fails: {} ({})\n", variant.genome.text(), on_gpu ? "virtual" : "GPU",
                   model::name_of(failure.status), failure.reason);
        ++disagreeing;
        continue;
      }
      ++compared;
      const Difference difference = compare(output_dtype(*bound), *on_gpu, *on_machine);
      elements += difference.elements;
      differing += difference.differing;
      worst = std::max(worst, difference.worst_relative_to_rms);
      bit_equal += difference.differing == 0 ? 1 : 0;
      // One FP16 step at the largest outputs is about 4e-3 of their rms; more than a few is no rounding.
      if (!(difference.worst_relative_to_rms <= 2e-2)) {
        ++disagreeing;
        fmt::print("{}: worst difference {:.3g} of rms\n", variant.genome.text(),
                   difference.worst_relative_to_rms);
      }
    }
    fmt::print(
        "fmad={:<5}: {} genomes, {} with bit-equal outputs; {} of {} elements differ, worst {:.3g} of "
        "rms(output)\n",
        fmad, tried, bit_equal, differing, elements, worst);
  }
  fmt::print("{} comparisons, {} disagree\n", compared, disagreeing);
  return disagreeing;
}

}  // namespace evo::bench
