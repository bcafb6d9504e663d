#include "session/farm_posts.hpp"

#include <memory>

#include <fmt/format.h>

#include "evaluators/gates/device_job.hpp"
#include "model/error.hpp"
#include "model/target.hpp"
#include "session/device_choice.hpp"
#include "session/farm_build.hpp"
#include "session/farm_compile.hpp"
#include "session/farm_worker.hpp"
#include "session/gpu_workers.hpp"

namespace evo::session {

using evaluators::gates::DeviceJob;

void require_harmless(const DeviceJob& job) {
  if (!job.reference) return;
  for (const model::OracleSource& source : job.reference->sources) {
    if (source.kind == model::OracleKind::command || source.kind == model::OracleKind::files) {
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("a job whose oracle is of the kind {}: a farm's worker starts no program and "
                      "reads no file for a job",
                      model::name_of(source.kind)));
    }
  }
}

farm::Perform perform_on(std::shared_ptr<evaluators::gates::JobRunner> runner) {
  return [runner = std::move(runner)](const farm::JobMessage& message, const farm::FindCode& code) {
    DeviceJob job = evaluators::gates::device_job_from_json(message.body);
    require_harmless(job);
    farm::put_code_back(job, code);
    return evaluators::gates::to_json(runner->run(job));
  };
}

FarmPosts posts_without_gpu(int threads, const Tell& tell) {
  FarmPosts posts;
  posts.threads = threads;
  const auto bench = std::make_shared<FarmBench>();
  posts.all.push_back({farm_build(), [bench](const farm::JobMessage& message, const farm::FindCode& code) {
                         return evaluators::gates::to_json(bench->perform(message, code));
                       }});
  try {
    const auto compiles = std::make_shared<CompileBench>(static_cast<unsigned>(threads));
    posts.all.push_back(
        {compile_build(compiles->version()), [compiles](const farm::JobMessage& message, const auto&) {
           return compiles->perform(message.body);
         }});
  } catch (const model::Exception& error) {
    if (tell) tell(fmt::format("it compiles nothing for others: {}", error.what()));
  }
  return posts;
}

FarmPosts posts_of_gpus(const std::string& device, int threads, const Tell& tell) {
  const DeviceChoice choice = choose_devices(device, model::TargetProfile{});
  if (choice.gpus.empty())
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--device {}: a farm's worker without a GPU takes no --device", device));
  if (tell && !choice.note.empty()) tell(choice.note);
  StackOptions options;
  options.notes = tell;
  const std::size_t each = workers_each(threads, choice.gpus.size(), choice.free_bytes);
  std::shared_ptr<evaluators::gates::JobRunner> runner =
      make_gpu_workers(std::make_shared<Gpus>(choice.gpus), each, options);
  FarmPosts posts;
  posts.threads = static_cast<int>(each * choice.gpus.size());
  posts.all.push_back(
      {farm_build(runner->info()), perform_on(runner), static_cast<int>(choice.gpus.size()), runner->info()});
  return posts;
}

}  // namespace evo::session
