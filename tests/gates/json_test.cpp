#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/gates/base64.hpp"
#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::gates {
namespace {

std::string any_bytes() {
  return *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
}
std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127));
}
double any_double() {
  return *rc::gen::arbitrary<double>();
}

RC_GTEST_PROP(Base64, IsUndone, ()) {
  const std::string bytes = any_bytes();
  const std::string text = encode_base64(bytes);
  RC_ASSERT(decode_base64(text) == bytes);
  RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
}

TEST(Base64, MatchesTheStandardsExamples) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  for (const char* wrong : {"Zg=", "Zg", "Z===", "Zh==", "Zm9=", "Z-9v", "Zg==Zg==", "====", "Zg=v"}) {
    EXPECT_THROW((void)decode_base64(wrong), std::runtime_error) << wrong;
  }
}

bool same(const model::Case& a, const model::Case& b) {
  if (a.computes_in != b.computes_in) return false;
  if (a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    const auto& x = a.arguments[i];
    const auto& y = b.arguments[i];
    if (x.name != y.name || x.role != y.role || x.dtype != y.dtype || x.shape != y.shape ||
        x.strides != y.strides || x.scalar_float != y.scalar_float || x.scalar_integer != y.scalar_integer ||
        x.texture != y.texture) {
      return false;
    }
  }
  return a.name == b.name && a.weight == b.weight && a.axes == b.axes && a.launch.grid == b.launch.grid &&
         a.launch.block == b.launch.block && a.launch.dynamic_smem == b.launch.dynamic_smem &&
         a.launch.tensor_maps == b.launch.tensor_maps && a.launch.symbols == b.launch.symbols &&
         a.launch.arguments == b.launch.arguments && model::text_of(a.launch) == model::text_of(b.launch) &&
         a.flops == b.flops && a.bytes == b.bytes;
}

RC_GTEST_PROP(DeviceJobJson, EveryFieldSurvives, ()) {
  DeviceJob job = tests::vector_add_job();
  job.artifact.ptx = any_bytes();
  job.artifact.cubin = any_bytes();
  job.artifact.entry = any_text();
  job.artifact.arch = any_text();
  job.artifact.compiler_log = any_text();
  job.artifact.code_hash = any_text();
  job.artifact.compile_ms = any_double();
  job.artifact.resources.registers = *rc::gen::arbitrary<int>();
  job.artifact.resources.static_smem_bytes = *rc::gen::arbitrary<std::int64_t>();
  job.input_seed = *rc::gen::arbitrary<std::uint64_t>();
  job.workload_count = *rc::gen::arbitrary<std::uint32_t>();
  job.uses = {CaseUse::workload,
              static_cast<CaseUse>(*rc::gen::inRange(0, static_cast<int>(CaseUse::ranged) + 1))};
  job.declared_sets = *rc::gen::arbitrary<std::uint32_t>();
  job.whole_launches = *rc::gen::arbitrary<bool>();
  job.input_sets[0].parameters[any_text()] = any_double();
  job.tolerance = {any_text(), any_double(), any_double(), {any_text(), "b"}};
  if (*rc::gen::arbitrary<bool>()) job.tolerance.reference_factor = {any_double(), any_double()};
  job.cases[0].arguments[3].scalar_float = any_double();
  job.cases[0].arguments[3].scalar_integer = *rc::gen::arbitrary<std::int64_t>();
  job.cases[1].weight = any_double();
  job.cases[1].launch.tensor_maps.push_back({any_text(),
                                             *rc::gen::arbitrary<std::uint32_t>(),
                                             model::DType::bf16,
                                             {*rc::gen::arbitrary<std::uint64_t>(), 2},
                                             {*rc::gen::arbitrary<std::uint64_t>()},
                                             {64, *rc::gen::arbitrary<std::uint32_t>()},
                                             *rc::gen::arbitrary<std::uint32_t>(),
                                             *rc::gen::arbitrary<bool>()});
  job.artifact.others = {{any_text(), {}}, {any_text(), {}}};
  job.artifact.others[1].resources.registers = *rc::gen::arbitrary<int>();
  model::LaunchPlan next;
  next.kernel = *rc::gen::arbitrary<std::uint32_t>();
  next.arguments = {*rc::gen::arbitrary<std::uint32_t>(), 0};
  job.cases[1].launch.then = {next, {}};
  job.cases[1].launch.symbols = {{*rc::gen::arbitrary<std::uint32_t>(), any_text()}};
  job.cases[1].launch.arguments.emplace();
  model::TextureModel texture;
  texture.surface = *rc::gen::arbitrary<bool>();
  texture.filter = *rc::gen::element(model::TextureFilter::point, model::TextureFilter::linear);
  texture.address = *rc::gen::element(model::TextureAddress::clamp, model::TextureAddress::wrap,
                                      model::TextureAddress::mirror, model::TextureAddress::border);
  texture.memory = *rc::gen::element(model::TextureMemory::array, model::TextureMemory::linear);
  texture.normalized = *rc::gen::arbitrary<bool>();
  texture.normalized_float = *rc::gen::arbitrary<bool>();
  texture.layered = *rc::gen::arbitrary<bool>();
  texture.channels = *rc::gen::element<std::int64_t>(1, 2, 4);
  job.cases[1].arguments[0].texture = texture;
  job.settings.instruction_budget = *rc::gen::arbitrary<std::uint64_t>();
  job.settings.launch_timeout_ms = any_double();
  job.settings.permuted_runs = *rc::gen::arbitrary<int>();
  job.settings.champion_launches = *rc::gen::arbitrary<int>();
  job.perturbed_launches = *rc::gen::arbitrary<int>();
  job.equal_writes = any_text();
  job.reference.emplace();
  for (auto* kernel : {&job.reference->kernel, &job.reference->plain_kernel, &job.reference->power_kernel})
    kernel->emplace().ptx = any_text();
  const DeviceJob back = device_job_from_json(to_json(job));
  RC_ASSERT(back.equal_writes == job.equal_writes);
  RC_ASSERT(back.reference->kernel->ptx == job.reference->kernel->ptx);
  RC_ASSERT(back.reference->plain_kernel->ptx == job.reference->plain_kernel->ptx);
  RC_ASSERT(back.reference->power_kernel->ptx == job.reference->power_kernel->ptx);
  RC_ASSERT(back.artifact.ptx == job.artifact.ptx);
  RC_ASSERT(back.artifact.cubin == job.artifact.cubin);
  RC_ASSERT(back.artifact.entry == job.artifact.entry && back.artifact.arch == job.artifact.arch);
  RC_ASSERT(back.artifact.compiler_log == job.artifact.compiler_log);
  RC_ASSERT(back.artifact.code_hash == job.artifact.code_hash &&
            back.artifact.compile_ms == job.artifact.compile_ms);
  RC_ASSERT(back.artifact.resources.registers == job.artifact.resources.registers);
  RC_ASSERT(back.artifact.others.size() == 2U);
  RC_ASSERT(back.artifact.others[1].entry == job.artifact.others[1].entry);
  RC_ASSERT(back.artifact.others[1].resources.registers == job.artifact.others[1].resources.registers);
  RC_ASSERT(back.artifact.resources.static_smem_bytes == job.artifact.resources.static_smem_bytes);
  RC_ASSERT(back.input_seed == job.input_seed && back.workload_count == job.workload_count &&
            back.oracle == job.oracle);
  RC_ASSERT(back.uses == job.uses && back.declared_sets == job.declared_sets &&
            back.whole_launches == job.whole_launches);
  RC_ASSERT(back.input_sets.size() == job.input_sets.size());
  RC_ASSERT(back.input_sets[0].parameters == job.input_sets[0].parameters);
  RC_ASSERT(back.tolerance.relative_frobenius == job.tolerance.relative_frobenius);
  RC_ASSERT(back.tolerance.input_sets == job.tolerance.input_sets);
  RC_ASSERT(back.tolerance.reference_factor.has_value() == job.tolerance.reference_factor.has_value());
  if (job.tolerance.reference_factor) {
    RC_ASSERT(back.tolerance.reference_factor->factor == job.tolerance.reference_factor->factor);
    RC_ASSERT(back.tolerance.reference_factor->absolute == job.tolerance.reference_factor->absolute);
  }
  RC_ASSERT(back.cases.size() == job.cases.size() && back.timed_cases.size() == job.timed_cases.size());
  for (std::size_t i = 0; i < job.cases.size(); ++i) RC_ASSERT(same(back.cases[i], job.cases[i]));
  RC_ASSERT(back.settings.instruction_budget == job.settings.instruction_budget);
  RC_ASSERT(back.settings.launch_timeout_ms == job.settings.launch_timeout_ms);
  RC_ASSERT(back.settings.permuted_runs == job.settings.permuted_runs);
  RC_ASSERT(back.settings.champion_launches == job.settings.champion_launches &&
            back.perturbed_launches == job.perturbed_launches);
  RC_ASSERT(to_json(back) == to_json(job));
}

TEST(DeviceJobJson, ContentsOfArgumentsSurviveAndARecordingCrossesOnce) {
  DeviceJob job = tests::vector_add_job();
  auto recording = std::make_shared<model::Recording>();
  recording->name = "x.npy abc";
  recording->shape = {2, 2};
  recording->values = {1, 0.1, -3, 1e300};
  for (model::Case& bound : job.cases) {
    bound.arguments[0].fill = {model::FillForm::npy};
    bound.arguments[0].fill->recorded = recording->name;
    bound.arguments[0].fill->recording = recording;
    bound.arguments[1].fill = {model::FillForm::column, 3, 0, 1};
    bound.arguments[1].set_fills["hot"] = {model::FillForm::zipf, 50, 1.5};
    bound.arguments[2].role = model::ArgumentRole::inout;
    bound.arguments[2].keeps_unwritten = true;
    bound.computes_in = model::DType::f16;
  }
  const std::string text = to_json(job);
  const DeviceJob back = device_job_from_json(text);
  EXPECT_EQ(text.find("x.npy abc"), text.find("\"x.npy abc\":") + 1) << "the table comes first";
  for (const model::Case& bound : back.cases) {
    EXPECT_EQ(bound.computes_in, model::DType::f16);
    ASSERT_TRUE(bound.arguments[0].fill && bound.arguments[0].fill->recording);
    EXPECT_EQ(bound.arguments[0].fill->recording->values, recording->values);
    EXPECT_EQ(bound.arguments[0].fill->recording->shape, recording->shape);
    EXPECT_EQ(bound.arguments[0].fill->recording, back.cases[0].arguments[0].fill->recording)
        << "one for all";
    EXPECT_EQ(bound.arguments[1].fill->form, model::FillForm::column);
    EXPECT_EQ(bound.arguments[1].fill->a, 3);
    EXPECT_EQ(bound.arguments[1].fill->argument, 1U);
    EXPECT_EQ(bound.arguments[1].set_fills.at("hot").b, 1.5);
    EXPECT_EQ(bound.arguments[2].role, model::ArgumentRole::inout);
    EXPECT_TRUE(bound.arguments[2].keeps_unwritten);
  }
  EXPECT_EQ(to_json(back), text);
}

RC_GTEST_PROP(DeviceResultJson, EveryFieldSurvives, ()) {
  DeviceResult result;
  result.device_seconds = any_double();
  result.gates.push_back({model::Gate::correctness, std::nullopt, any_double()});
  result.notes.push_back({"perturbed", any_text(), {}, 0, {{"launches", any_text()}}});
  const model::Evidence evidence{
      any_text(), any_text(), any_text(), *rc::gen::arbitrary<int>(), {{"a", any_text()}, {"a", "b"}}};
  result.gates.push_back(
      {model::Gate::latency, model::Failure{model::Status::nondeterministic, any_text(), {evidence}}, 0.1});
  model::Latency latency{model::LatencyKind::measured, any_double(),
                         std::array<double, 2>{any_double(), any_double()}, 7, "m"};
  result.latencies.push_back({any_text(), any_double(), latency});
  latency.ci95.reset();
  latency.kind = model::LatencyKind::modelled;
  result.latencies.push_back({any_text(), 1, latency});
  const DeviceResult back = device_result_from_json(to_json(result));
  RC_ASSERT(back.device_seconds == result.device_seconds);
  RC_ASSERT(back.notes == result.notes);
  RC_ASSERT(back.gates.size() == 2U);
  RC_ASSERT(back.gates[0].pass() && back.gates[0].milliseconds == result.gates[0].milliseconds);
  RC_ASSERT(back.gates[1].failure->status == model::Status::nondeterministic);
  RC_ASSERT(back.gates[1].failure->reason == result.gates[1].failure->reason);
  RC_ASSERT(back.gates[1].failure->evidence == result.gates[1].failure->evidence);
  RC_ASSERT(back.latencies.size() == 2U);
  RC_ASSERT(back.latencies[0].latency.ci95 == result.latencies[0].latency.ci95);
  RC_ASSERT(back.latencies[0].latency.microseconds == result.latencies[0].latency.microseconds);
  RC_ASSERT(!back.latencies[1].latency.ci95.has_value());
  RC_ASSERT(back.latencies[1].latency.kind == model::LatencyKind::modelled);
}

TEST(DeviceJobJson, NumbersThatJsonLacksSurvive) {
  DeviceJob job = tests::vector_add_job();
  job.tolerance.relative_frobenius = std::numeric_limits<double>::infinity();
  job.tolerance.max_abs_over_rms = std::numeric_limits<double>::quiet_NaN();
  job.cases[0].weight = -std::numeric_limits<double>::infinity();
  const DeviceJob back = device_job_from_json(to_json(job));
  EXPECT_EQ(back.tolerance.relative_frobenius, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(back.tolerance.max_abs_over_rms));
  EXPECT_EQ(back.cases[0].weight, -std::numeric_limits<double>::infinity());
}

TEST(DeviceJobJson, MalformedInputIsAnError) {
  const std::string good = to_json(tests::vector_add_job());
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  EXPECT_NO_THROW((void)device_job_from_json(good));
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(0, good.size() / 2),
        replaced("\"oracle\"", "\"orakel\""), replaced("\"f32\"", "\"f33\""),
        replaced("\"relative_frobenius\":\"", "\"relative_frobenius\":\"x"),
        replaced("\"input\"", "\"inptu\""), replaced("\"input_seed\":77", "\"input_seed\":-1"),
        replaced("\"input_seed\":77", "\"input_seed\":\"77\""), replaced("[32,1,1]", "[32,1]")}) {
    EXPECT_THROW((void)device_job_from_json(bad), std::runtime_error) << bad.substr(0, 60);
  }
  EXPECT_THROW((void)device_result_from_json("{\"gates\":0}"), std::runtime_error);
}

TEST(DeviceJobJson, ADiagnosticMayQuoteAnyBytes) {
  DeviceResult result;
  result.gates.push_back(
      {model::Gate::correctness, model::Failure{model::Status::wrong, "x\xff\xfe", {}}, 0});
  EXPECT_EQ(device_result_from_json(to_json(result)).gates[0].failure->reason, "x\xff\xfe");
}

// What a worker on the far side of a wire answers is what this process would have found.
TEST(DeviceJobJson, AJobThatCrossedAWireGivesTheSameVerdict) {
  tests::FakeDeviceSettings settings;
  settings.kernel = tests::add_then([](tests::FakeLaunch& launch) { launch.pointer<float>(2)[0] *= 1.01F; });
  tests::FakeDevice here(settings), there(settings);
  const DeviceJob job = tests::vector_add_job();
  const DeviceResult local = run_device_job(here, job, evo::tests::known());
  const DeviceResult remote = device_result_from_json(
      to_json(run_device_job(there, device_job_from_json(to_json(job)), evo::tests::known())));
  ASSERT_EQ(local.gates.size(), remote.gates.size());
  EXPECT_EQ(local.gates[0].failure->evidence, remote.gates[0].failure->evidence);
}

}  // namespace
}  // namespace evo::evaluators::gates
