// Kernels that do no work: whoever passes them, passes anything.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/selftest/cases.hpp"
#include "evaluators/selftest/question.hpp"
#include "model/records.hpp"

namespace evo::evaluators::selftest {
namespace {

using model::ArgumentRole;
using model::BoundArgument;
using model::DType;

enum class Null : std::uint8_t { nothing, zeros, ones, not_a_number, copy, twice };

struct Kind {
  Null kind;
  const char* name;
  const char* reason;  ///< what the correctness gate must say
};
constexpr std::array<Kind, 6> kinds{{{Null::nothing, "null nothing", "unwritten"},
                                     {Null::zeros, "null zeros", "mismatch"},
                                     {Null::ones, "null constant", "mismatch"},
                                     {Null::not_a_number, "null NaN", "non_finite"},
                                     {Null::copy, "null copy of an input", "mismatch"},
                                     {Null::twice, "null twice an input", "mismatch"}}};

bool is_integer(DType dtype) {
  return !model::is_floating(dtype);
}

/// The largest input of the output's type.
const BoundArgument* source_of(const model::Case& bound, DType dtype) {
  const BoundArgument* best = nullptr;
  for (const BoundArgument& argument : bound.arguments) {
    if (argument.role != ArgumentRole::input || argument.dtype != dtype) continue;
    if (best == nullptr || oracle::element_count(argument) > oracle::element_count(*best)) best = &argument;
  }
  return best;
}

/// Statements that turn the logical index `from` into the element offset `to`.
std::string offset_code(const BoundArgument& argument, const std::string& from, const std::string& to) {
  std::string code = fmt::format("    long long {} = 0;\n    {{ long long evo_rest = {};\n", to, from);
  for (std::size_t d = argument.shape.size(); d-- > 0;) {
    code += fmt::format("      {} += evo_rest % {}LL * {}LL; evo_rest /= {}LL;\n", to, argument.shape[d],
                        argument.strides[d], argument.shape[d]);
  }
  return code + "    }\n";
}

/// The element at the offset `at`: of a member of an array of structs where that lies in its struct.
std::string element_code(const model::Case& bound, const BoundArgument& argument, const std::string& at) {
  const auto index = static_cast<std::size_t>(&argument - bound.arguments.data());
  for (const model::RecordLayout& record : model::records_of(bound.arguments)) {
    if (!record.has(index)) continue;
    const std::int64_t size = model::size_of(argument.dtype), lanes = argument.shape.back();
    return fmt::format("(*({}*)({} + {} / {}LL * {}LL + {}LL + {} % {}LL * {}LL))", bits_type(argument.dtype),
                       model::record_of(argument.name), at, lanes, record.bytes,
                       record.offsets[index - record.first], at, lanes, size);
  }
  return fmt::format("{}[{}]", argument.name, at);
}

std::string constant(DType dtype, Null kind) {
  if (kind == Null::zeros) return "0";
  const bool one = kind == Null::ones;
  switch (dtype) {
    case DType::f16:
      return one ? "0x3c00" : "0x7e00";
    case DType::bf16:
      return one ? "0x3f80" : "0x7fc0";
    case DType::f32:
      return one ? "1.0f" : "__int_as_float(0x7fc00000)";
    case DType::f64:
      return one ? "1.0" : "__longlong_as_double(0x7ff8000000000000LL)";
    case DType::f8e4m3:
      return one ? "0x38" : "0x7f";
    case DType::f8e5m2:
      return one ? "0x3c" : "0x7e";
    default:
      return one ? "1" : "-1";
  }
}

/// Twice `value`, on the bits of 16-bit floats (infinities and NaNs do not occur in inputs).
std::string doubled(DType dtype, const std::string& value) {
  const auto bits = [&](const char* exponent, int step) {
    return fmt::format("({0} & {1}) ? {0} + {2} : ({0} & 0x8000) | ({0} << 1)", value, exponent, step);
  };
  if (dtype == DType::f16) return bits("0x7c00", 0x0400);
  if (dtype == DType::bf16) return bits("0x7f80", 0x0080);
  if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2)
    return fmt::format("({0} & {1}) < {1} && ({0} & {1}) ? {0} + {2} : {0} ^ 1", value,
                       dtype == DType::f8e4m3 ? "0x78" : "0x7c", dtype == DType::f8e4m3 ? 8 : 4);
  return value + " + " + value;
}

/// Its local names begin with evo_: an argument of the problem may be called i or x.
/// nullopt where the kind makes no sense for the case's types.
std::optional<std::string> source_text(const model::Case& bound, Null kind) {
  std::string body;
  for (const BoundArgument& judged : bound.arguments) {
    const BoundArgument output = judged.unreduced();
    if (!model::is_judged(output.role) || kind == Null::nothing) continue;
    if (kind == Null::not_a_number && is_integer(output.dtype)) return std::nullopt;
    std::string value = constant(output.dtype, kind);
    std::string before;
    if (kind == Null::copy || kind == Null::twice) {
      const BoundArgument* source = source_of(bound, output.dtype);
      if (source == nullptr) return std::nullopt;
      before = offset_code(*source, fmt::format("evo_i % {}LL", oracle::element_count(*source)), "evo_from");
      before += fmt::format("    const {} evo_x = {};\n", bits_type(output.dtype),
                            element_code(bound, *source, "evo_from"));
      value = kind == Null::copy ? "evo_x" : doubled(output.dtype, "evo_x");
    }
    body += fmt::format(
        "  for (long long evo_i = blockIdx.x * (long long)blockDim.x + threadIdx.x; evo_i < {}LL;\n"
        "       evo_i += gridDim.x * (long long)blockDim.x) {{\n{}{}    {} = {};\n  }}\n",
        oracle::element_count(output), offset_code(output, "evo_i", "evo_at"), before,
        judged.reduce == model::Reduction::none ? element_code(bound, judged, "evo_at")
                                                : fmt::format("{}[evo_at]", output.name),
        value);
  }
  return fmt::format("extern \"C\" __global__ void evo_null({}) {{\n{}}}\n", parameters(bound, false), body);
}

std::vector<double> numbers_of(const BoundArgument& argument, const std::vector<std::byte>& bytes) {
  std::vector<double> numbers;
  const std::int64_t size = model::size_of(argument.dtype);
  for (const std::int64_t offset : oracle::element_offsets(argument))
    numbers.push_back(oracle::load_element(argument.dtype, bytes.data() + offset * size));
  return numbers;
}

/// What such a kernel gives is what the problem asks for, on all data that the gates show: a copy, a scaling.
/// Inputs that are one number everywhere say nothing.
bool is_the_answer(const Subject& subject, oracle::ReferenceCache& answers, const model::Case& bound,
                   Null kind) {
  if (kind != Null::copy && kind != Null::twice) return false;
  Question question(subject, answers, bound);
  bool varies = false;
  for (std::size_t s = 0; s < question.sets(); ++s) {
    const oracle::ReferenceData* reference = question.reference(s);
    if (reference == nullptr) continue;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const BoundArgument& output = bound.arguments[i];
      if (!model::is_judged(output.role)) continue;
      const BoundArgument* source = source_of(bound, output.dtype);
      if (source == nullptr) return false;
      const auto index = static_cast<std::size_t>(source - bound.arguments.data());
      const std::vector<double> given = numbers_of(*source, reference->inputs[index]);
      const std::vector<double>& asked = reference->outputs[i];
      const double factor = kind == Null::twice ? 2 : 1;
      for (std::size_t e = 0; e < asked.size(); ++e) {
        if (asked[e] != factor * given[e % given.size()]) return false;
        varies = varies || (s < question.declared() && given[e % given.size()] != given.front());
      }
    }
  }
  return varies;
}

Check check(const Subject& subject, oracle::ReferenceCache& answers, const model::Case& bound,
            const Kind& kind) {
  Check check{kind.name, false, {}, 0};
  const auto source = source_text(bound, kind.kind);
  if (!source) {
    check.pass = true;
    check.message = "does not apply to the types of this problem";
    return check;
  }
  compile::CompileRequest request;
  request.source = *source;
  request.source_file = "null.cu";
  request.entry = "evo_null";
  auto artifact = compile_for_device(subject, request);
  if (!artifact) {
    check.message = "the candidate does not compile: " + describe(&artifact.error());
    return check;
  }
  const gates::DeviceResult result = subject.runner.run(make_job(subject, std::move(*artifact), {bound}));
  const model::Failure* failure = failure_of(result);
  // Where an output begins with contents, zeros or an inout's own, what is written may be what was there.
  const bool nothing_new =
      failure != nullptr && failure->reason == "unwritten" && kind.reason == std::string_view("mismatch") &&
      std::ranges::any_of(bound.arguments, [](const BoundArgument& output) {
        return model::is_judged(output.role) && (output.zeroed || model::is_given(output.role));
      });
  // Of many numbers of 8 bits, some are the poison's by chance; of E4M3 the one NaN of a sign is, every other
  // time.
  const bool like_poison = failure != nullptr && failure->reason == "unwritten" &&
                           kind.kind != Null::nothing &&
                           std::ranges::any_of(bound.arguments, [](const BoundArgument& output) {
                             return model::is_judged(output.role) && model::size_of(output.dtype) == 1;
                           });
  check.pass = failure != nullptr && failure->status == model::Status::wrong &&
               (failure->reason == kind.reason || nothing_new || like_poison);
  // Zeros and ones are finite: what is not, is the reference.
  const bool unfit = failure != nullptr && failure->reason == "non_finite" && kind.kind != Null::not_a_number;
  check.message = failure == nullptr ? "a kernel that does no work passes as correct" : describe(failure);
  if (failure == nullptr && is_the_answer(subject, answers, bound, kind.kind)) {
    check.pass = true;
    check.message = "is what the problem asks for";
    return check;
  }
  check.reference_not_finite = unfit;
  if (unfit) {
    const auto floating = std::ranges::find_if(bound.arguments, [](const BoundArgument& argument) {
      return model::is_given(argument.role) && model::is_floating(argument.dtype);
    });
    check.message += fmt::format(
        ". The reference itself gives NaN or infinity for these inputs: a `fill` of an argument gives "
        "numbers that suit it, {0}: {{fill: {{uniform: [0.1, 2]}}}} (evo tune: --arg '{0}: {{fill: ...}}'), "
        "or an input set",
        floating == bound.arguments.end() ? std::string("x") : floating->name);
  }
  if (!check.pass && failure != nullptr) check.message += fmt::format("; expected wrong ({})", kind.reason);
  return check;
}

}  // namespace

std::vector<Check> check_null_candidates(const Subject& subject, oracle::ReferenceCache& answers) {
  model::Case bound = small_cases(subject.experiment).front();
  bound.launch = {{4, 1, 1}, {64, 1, 1}, 0};
  bound.launch.arguments = model::record_parameters(bound.arguments);
  // They take every array as a pointer.
  for (BoundArgument& argument : bound.arguments) argument.texture.reset();
  std::vector<Check> checks;
  for (const Kind& kind : kinds) checks.push_back(check(subject, answers, bound, kind));
  return checks;
}

}  // namespace evo::evaluators::selftest
