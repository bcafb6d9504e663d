#include "session/farm_compile.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/codec.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/gates/base64.hpp"
#include "farm/runner.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"
#include "session/farm_build.hpp"

namespace evo::session {
namespace {

using evaluators::compile::CompileRequest;
using evaluators::compile::CompileResult;
using evaluators::gates::decode_base64;
using evaluators::gates::encode_base64;

/// What a stranger's compile may take of this machine.
constexpr double longest_compile_s = 600;
constexpr std::int64_t most_compile_mb = 16384;

tl::expected<std::any, std::string> read_compile_result(const std::string& body) {
  try {
    if (auto result = evaluators::compile::decode_result(decode_base64(body)))
      return std::any(std::move(*result));
  } catch (const std::exception& error) {
    return tl::unexpected(fmt::format("its body is no compile's result: {}", error.what()));
  }
  return tl::unexpected(std::string("its body is no compile's result"));
}

/// Messages may name a compiler's temporary files: the verdict is the same without them. Registers and spills
/// decide a gate and what is modelled.
bool same_code(const CompileResult& one, const CompileResult& other) {
  if (one.has_value() != other.has_value()) return false;
  if (one) {
    const auto decides = [](model::Artifact artifact) {
      artifact.compiler_log.clear();
      artifact.from_cache = false;
      artifact.compile_ms = 0;
      return evaluators::compile::encode(CompileResult(std::move(artifact)));
    };
    return decides(*one) == decides(*other);
  }
  return one.error().status == other.error().status && one.error().reason == other.error().reason;
}

/// Empty: it does not.
std::string asks_too_much(const CompileRequest& request) {
  if (!(request.timeout_s > 0 && request.timeout_s <= longest_compile_s))
    return fmt::format("a compile that may take {} s: at most {} on a farm", request.timeout_s,
                       longest_compile_s);
  if (request.memory_mb < 1 || request.memory_mb > most_compile_mb)
    return fmt::format("a compile that may take {} MB: 1 to {} on a farm", request.memory_mb,
                       most_compile_mb);
  return {};
}

/// Where a result lies: what is compiled, with what, and by which evo, whose reading of it counts.
std::string shelf_key(const CompileRequest& request, const farm::Build& build) {
  return model::sha256(fmt::format("{}\n{}\n{}",
                                   evaluators::compile::ArtifactCache::key_of(request, build.device),
                                   build.evo, build.toolchain));
}

bool lasts(const CompileResult& result) {
  return result.has_value() ||
         (result.error().status == model::Status::compile_error && result.error().reason != "compiler_crash");
}

}  // namespace

farm::Build compile_build(const std::string& version) {
  farm::Build build = farm_build();
  build.device = version;
  return build;
}

std::string compile_body(const CompileRequest& request) {
  return encode_base64(evaluators::compile::encode(request));
}

CompileRequest compile_request_from(const std::string& body) {
  auto request = evaluators::compile::decode_request(decode_base64(body));
  if (!request) throw std::runtime_error("its body is no compile");
  if (const std::string why = asks_too_much(*request); !why.empty()) throw std::runtime_error(why);
  return std::move(*request);
}

FarmCompiles::FarmCompiles(std::shared_ptr<farm::Calls> calls,
                           std::shared_ptr<evaluators::compile::Compiler> own, unsigned audit_every,
                           std::shared_ptr<farm::Shelf> shelf)
    : calls_(std::move(calls)), own_(std::move(own)), audit_every_(audit_every), shelf_(std::move(shelf)) {
  line_.build = compile_build(own_->version());
  line_.read = read_compile_result;
  line_.patient = false;
  line_.until_stop = true;
}

std::optional<FarmCompiles::Made> FarmCompiles::find(const std::string& key) const {
  if (!shelf_) return std::nullopt;
  const auto lies = shelf_->find(key);
  const std::size_t end = lies ? lies->find('\n') : std::string::npos;
  if (end == std::string::npos) return std::nullopt;
  // Whoever put it there may have put anything there.
  auto read = read_compile_result(lies->substr(end + 1));
  if (!read) return std::nullopt;
  Made made{std::any_cast<CompileResult>(std::move(*read)), farm::said(lies->substr(0, end)), true};
  return lasts(made.result) ? std::optional(std::move(made)) : std::nullopt;
}

std::optional<FarmCompiles::Made> FarmCompiles::ask(const CompileRequest& request) {
  const std::string body = compile_body(request);
  if (!calls_->fits(line_, body)) return std::nullopt;
  farm::Answer answer = calls_->ask(line_, body);
  if (!answer.error.empty()) calls_->say(answer.error + "; it is compiled here");
  if (!answer.result.has_value()) return std::nullopt;
  return Made{std::any_cast<CompileResult>(std::move(answer.result)), answer.worker};
}

void FarmCompiles::put(const std::string& key, const Made& made) {
  if (!shelf_ || !lasts(made.result)) return;
  const std::string text = made.maker + "\n" + encode_base64(evaluators::compile::encode(made.result));
  const std::scoped_lock lock(mutex_);
  if (!lied_to_) shelf_->put(key, text);
}

void FarmCompiles::audit(const CompileRequest& request, const Made& made) {
  if (!lasts(made.result) || !farm::is_audited(audit_every_)) return;
  const CompileResult own = own_->compile(request);
  if (!lasts(own) || same_code(made.result, own)) {
    ++audited_;
    return;
  }
  {
    // Who else compiles just now puts nothing there behind this.
    const std::scoped_lock lock(mutex_);
    lied_to_ = true;
  }
  // What the liar made for other runs lies there as well, under whatever name he had.
  if (shelf_) shelf_->clear();
  if (!made.from_shelf) farm::throw_lie(made.maker);
  throw model::Exception(
      model::ExitCode::environment,
      fmt::format(
          "what lay on the farm's shelf of compiles, as made by {}, is not what this process compiles "
          "from the same source: somebody who puts or makes such compiles is broken or lies. All that "
          "lay there is taken away. What this run took from there before may be wrong: do not resume "
          "this run",
          made.maker));
}

std::optional<CompileResult> FarmCompiles::compile(const CompileRequest& request) {
  if (!asks_too_much(request).empty()) return std::nullopt;
  const std::string key = shelf_key(request, line_.build);
  if (auto lies = find(key)) {
    audit(request, *lies);
    ++shared_;
    return std::move(lies->result);
  }
  auto made = ask(request);
  if (made) {
    audit(request, *made);
    put(key, *made);
    return std::move(made->result);
  }
  return std::nullopt;
}

void FarmCompiles::made_here(const CompileRequest& request, const CompileResult& result) {
  if (asks_too_much(request).empty())
    put(shelf_key(request, line_.build), {result, "the run " + calls_->run()});
}

struct CompileBench::State {
  explicit State(const evaluators::compile::ServiceOptions& options)
      : service(options),
        cache(evaluators::compile::ArtifactCache::default_folder()),
        compiler(service, cache) {}
  evaluators::compile::CompileService service;
  evaluators::compile::ArtifactCache cache;
  evaluators::compile::CachingCompiler compiler;
};

CompileBench::CompileBench(unsigned threads) {
  evaluators::compile::ServiceOptions options;
  options.workers = threads;
  state_ = std::make_unique<State>(options);
  if (!state_->service.greeting().confined)
    throw model::Exception(model::ExitCode::environment,
                           "a compiler's process cannot be confined here (Landlock, Linux 5.13), and jobs "
                           "come from other hosts");
}

CompileBench::~CompileBench() = default;

std::string CompileBench::perform(const std::string& body) {
  return encode_base64(evaluators::compile::encode(state_->compiler.compile(compile_request_from(body))));
}

std::string CompileBench::version() const {
  return state_->compiler.version();
}

}  // namespace evo::session
