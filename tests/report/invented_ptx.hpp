// PTX that no compiler made, in an artifact cache, for runs that nobody ran. XDG_CACHE_HOME says where.
#pragma once

#include <functional>
#include <string>

#include <fmt/format.h>

#include "evaluators/compile/cache.hpp"
#include "evaluators/gates/compile.hpp"
#include "report/run_view.hpp"
#include "report/shown_variants.hpp"

namespace evo::report::testing {

/// The source's lines 1 to this have one instruction each.
inline constexpr int invented_lines = 60;

/// A kernel of that case's parameters that waits at one barrier; `salt` changes a constant and the registers'
/// numbers.
inline std::string invented_ptx(const std::string& entry, const model::Case& bound, const std::string& file,
                                std::size_t salt) {
  std::string parameters;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    const bool scalar = argument.role == model::ArgumentRole::scalar;
    const char* type = !scalar                               ? ".u64"
                       : argument.dtype == model::DType::f32 ? ".f32"
                       : model::size_of(argument.dtype) == 8 ? ".u64"
                                                             : ".u32";
    parameters += fmt::format("{}\n\t.param {} {}_param_{}", i > 0 ? "," : "", type, entry, i);
  }
  std::string text = fmt::format(
      "//\n// Made by invent_run\n//\n.version 8.0\n.target sm_89\n.address_size 64\n\n.visible .entry "
      "{}({}\n)\n"
      "{{\n\t.reg .b32 \t%r<200>;\n",
      entry, parameters);
  for (int line = 1; line <= invented_lines; ++line)
    text +=
        fmt::format("\t.loc\t1 {} 3\n\tmov.u32 \t%r{}, {};\n", line, 1 + line + static_cast<int>(salt % 9),
                    line == 30 ? salt % 1000 : static_cast<std::size_t>(line));
  return text + fmt::format("\tbar.sync \t0;\n\tret;\n}}\n\t.file\t1 \"{}\"\n", file);
}

/// For every variant whose code a page shows.
inline void store_invented_ptx(const std::string& folder) {
  namespace compile = evaluators::compile;
  const RunView view = read_run(folder);
  std::vector<std::string> notices;
  const ShownVariants shown = shown_variants(view, notices);
  compile::ArtifactCache cache(compile::ArtifactCache::default_folder());
  for (const ShownVariant& each : shown.list) {
    const auto context = evaluators::gates::make_context(view.experiment, each.entry->kernel_template);
    const auto bound = evaluators::gates::bind_variant(context, each.trial->genome);
    if (!bound) continue;
    const compile::CompileRequest request = evaluators::gates::compile_request(context, each.variant);
    model::Artifact artifact;
    artifact.entry = request.entry;
    artifact.arch = request.arch;
    artifact.ptx = invented_ptx(request.entry, bound->workloads.front(), each.trial->template_name + ".cu",
                                std::hash<std::string>{}(each.variant.id));
    artifact.resources = each.trial->resources.value_or(model::ResourceUsage{});
    cache.store(compile::ArtifactCache::key_of(request, view.ledger.meta->toolchain), artifact);
  }
}

}  // namespace evo::report::testing
