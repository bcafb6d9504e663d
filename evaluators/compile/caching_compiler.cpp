#include "evaluators/compile/caching_compiler.hpp"

#include <exception>
#include <future>

namespace evo::evaluators::compile {

struct CachingCompiler::Flight {
  std::promise<CompileResult> promise;
  std::shared_future<CompileResult> result = promise.get_future().share();
};

tl::expected<model::Artifact, model::Failure> CachingCompiler::compile(const CompileRequest& request) {
  const std::string key = ArtifactCache::key_of(request, inner_.version());
  std::shared_ptr<Flight> flight;
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = in_flight_[key];
    if (!slot) {
      slot = std::make_shared<Flight>();
      mine = true;
    }
    flight = slot;
  }
  if (!mine) return flight->result.get();

  const auto land = [&] {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(key);
  };
  try {
    std::optional<CompileResult> result = cache_.find(key);
    if (!result) {
      result = inner_.compile(request);
      const bool lasting = result->has_value() || (result->error().status == model::Status::compile_error &&
                                                   result->error().reason != "compiler_crash");
      if (lasting) cache_.store(key, *result);
    }
    flight->promise.set_value(*result);
    land();
    return std::move(*result);
  } catch (...) {
    flight->promise.set_exception(std::current_exception());
    land();
    throw;
  }
}

}  // namespace evo::evaluators::compile
