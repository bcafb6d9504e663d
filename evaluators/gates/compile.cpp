#include "evaluators/gates/compile.hpp"

#include <cctype>
#include <iterator>

#include "evaluators/gates/kept_variables.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {

bool runs_as_is(std::string_view target_arch, std::string_view device_arch) {
  const auto capability = [](std::string_view arch) {
    while (!arch.empty() && std::isalpha(static_cast<unsigned char>(arch.back())) != 0) arch.remove_suffix(1);
    return arch;
  };
  return device_arch.empty() || capability(target_arch) == capability(device_arch);
}

compile::CompileRequest compile_request(const TemplateContext& context, const model::Variant& variant) {
  const model::GateSettings& settings = context.experiment->gates;
  compile::CompileRequest request;
  request.source = variant.source;
  request.source_file = context.kernel_template->source_file;
  std::vector<std::string> entries =
      model::render_entries(*context.kernel_template, context.space, variant.genome);
  if (entries.empty())
    throw model::Exception(model::ExitCode::failed, "a variant without a launch is compiled");
  request.entry = std::move(entries.front());
  request.other_entries.assign(std::make_move_iterator(entries.begin() + 1),
                               std::make_move_iterator(entries.end()));
  request.arch = context.experiment->target.arch;
  request.headers = context.kernel_template->headers;
  request.options = variant.options;
  request.timeout_s = settings.compile_timeout_s;
  request.memory_mb = settings.compile_memory_mb;
  return request;
}

Outcome<CompiledVariant> compile_variant(compile::Compiler& compiler, const TemplateContext& context,
                                         const model::Variant& variant, const std::string& device_arch) {
  if (variant.failure) return tl::make_unexpected(*variant.failure);
  compile::CompileRequest request = compile_request(context, variant);
  auto artifact = compiler.compile(request);
  if (!artifact) return tl::make_unexpected(artifact.error());
  CompiledVariant compiled{std::move(*artifact), std::nullopt};
  compiled.artifact.kept = kept_variables(compiled.artifact);
  if (runs_as_is(request.arch, device_arch)) return compiled;
  request.arch = device_arch;
  auto second = compiler.compile(request);
  if (!second) return tl::make_unexpected(located(second.error(), {{"arch", device_arch}}));
  compiled.device_artifact = std::move(*second);
  compiled.device_artifact->kept = kept_variables(*compiled.device_artifact);
  return compiled;
}

}  // namespace evo::evaluators::gates
