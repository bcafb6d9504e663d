#include "export/selftest_recorded.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace evo::exporting {
namespace {

std::int64_t elements_of(const model::BoundArgument& argument) {
  std::int64_t count = 1;
  for (const std::int64_t size : argument.shape) count *= size;
  return count;
}

void append(std::string& bytes, const void* from, std::size_t size) {
  bytes.append(static_cast<const char*>(from), size);
}

model::Expected<std::string> bytes_of(const model::Case& bound, const RecordedAnswer& answer) {
  const auto misfit = [&](const model::BoundArgument& argument) {
    return tl::make_unexpected(model::Error{
        fmt::format("the recorded {} of workload {} has another size", argument.name, bound.name)});
  };
  std::string bytes;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_given(argument.role)) continue;
    const std::vector<std::byte>& input = answer.inputs.at(i);
    if (static_cast<std::int64_t>(input.size()) != argument.extent() * model::size_of(argument.dtype))
      return misfit(argument);
    append(bytes, input.data(), input.size());
  }
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_judged(argument.role)) continue;
    const std::vector<double>& output = answer.outputs.at(i);
    if (static_cast<std::int64_t>(output.size()) != elements_of(argument)) return misfit(argument);
    append(bytes, output.data(), output.size() * sizeof(double));
  }
  return bytes;
}

}  // namespace

model::Expected<Recordings> write_recordings(const ExportRequest& request, const Names& names,
                                             const std::vector<model::Case>& cases) {
  Recordings result;
  std::size_t judged = 0;
  for (const model::Argument& argument : request.problem.arguments)
    judged += model::is_judged(argument.role) ? 1 : 0;
  result.members = fmt::format("  const char* file;\n  Errors allowed[{}];\n", judged);
  for (const RecordedAnswer& answer : request.answers) {
    const auto bound = std::ranges::find(cases, answer.workload.name, &model::Case::name);
    if (bound == cases.end())
      return tl::make_unexpected(model::Error{fmt::format("no case is called {}", answer.workload.name)});
    auto bytes = bytes_of(*bound, answer);
    if (!bytes) return tl::make_unexpected(bytes.error());
    std::string allowed;
    for (std::size_t i = 0; i < bound->arguments.size(); ++i) {
      if (!model::is_judged(bound->arguments[i].role)) continue;
      const auto bound_of = answer.allowed.empty() ? RecordedAnswer::Bound{-1, -1} : answer.allowed.at(i);
      allowed +=
          fmt::format("{}{{{:.17g}, {:.17g}}}", allowed.empty() ? "" : ", ", bound_of.rms, bound_of.largest);
    }
    const std::string file = fmt::format("selftest_{}.bin", result.files.size());
    result.table += fmt::format("      {{\"{} (inputs {})\", {}, \"{}\", {{{}}}}},\n", bound->name,
                                answer.input_set, axes_literal(names, *bound), file, allowed);
    result.files[file] = std::move(*bytes);
  }
  return result;
}

const char* recording_harness() {
  return R"(
/// The program as it was started.
std::string program;

/// Beside the program, wherever that is started; or beside this source, where it was built.
std::FILE* open_recording(const char* name) {
  for (const std::string& beside : {program, std::string(__FILE__)}) {
    const std::size_t slash = beside.rfind('/');
    const std::string folder = slash == std::string::npos ? std::string() : beside.substr(0, slash + 1);
    if (std::FILE* file = std::fopen((folder + name).c_str(), "rb")) return file;
  }
  std::fprintf(stderr, "cannot read %s: it belongs beside %s\n", name, program.c_str());
  std::exit(1);
}

void read_answer(Array<double>& array, std::FILE* file) {
  array.set([&](long long) {
    double value = 0;
    if (std::fread(&value, sizeof value, 1, file) != 1) {
      std::fprintf(stderr, "the recording is too short\n");
      std::exit(1);
    }
    return value;
  });
}
)";
}

}  // namespace evo::exporting
