#include "evaluators/oracle/reference_cache.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/task_arena.h>

#include "evaluators/oracle/reference_bytes.hpp"
#include "evaluators/oracle/reference_data.hpp"

namespace evo::evaluators::oracle {
namespace {

/// Everything that the data depends on, as text.
std::string name_of(const std::string& oracle, const model::Case& bound, const model::InputSet& set,
                    const InputKey& key, bool plain, double conditioning) {
  std::string name = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", oracle, bound.name, set.name, set.kind, key.seed,
                                 key.rotation, plain, conditioning);
  if (bound.computes_in) name += fmt::format("|computes in {}", static_cast<int>(*bound.computes_in));
  for (const auto& [parameter, value] : set.parameters) name += fmt::format("|{}={}", parameter, value);
  for (const model::SymbolPlan& symbol : bound.launch.symbols)
    name += fmt::format("|fixed {}", symbol.argument);
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == model::ArgumentRole::workspace) continue;  // as large as a genome needs it
    name += fmt::format("|{}:{}:{}:[{}]:[{}]:{}:{}", argument.name, static_cast<int>(argument.role),
                        static_cast<int>(argument.dtype), fmt::join(argument.shape, ","),
                        fmt::join(argument.strides, ","), argument.scalar_float, argument.scalar_integer);
    if (const model::BoundFill* fill = argument.fill_in(set.name))
      name += fmt::format("|{}:{}:{}:{}", static_cast<int>(fill->form), fill->a, fill->b, fill->recorded);
    // What a filter costs is granted to kernels that have the texture.
    if (argument.texture)
      name += fmt::format("|texture:{}:{}", static_cast<int>(argument.texture->filter),
                          static_cast<int>(argument.texture->address));
  }
  return name;
}

std::int64_t bytes_of(const ReferenceData& data) {
  std::size_t bytes = 0;
  for (const auto& buffer : data.inputs) bytes += buffer.size();
  for (const auto& values : data.outputs) bytes += values.size() * sizeof(double);
  for (const auto& values : data.words) bytes += values.size() * sizeof(std::int64_t);
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

std::int64_t cache_bytes_for(std::int64_t memory) {
  return std::clamp(memory / 32, std::int64_t{512} << 20, std::int64_t{4} << 30);
}

std::int64_t default_cache_bytes() {
  return cache_bytes_for(std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE));
}

ReferenceCache::ReferenceCache(Catalogue known, std::int64_t capacity_bytes, double whole_flops)
    : known_(std::move(known)), capacity_bytes_(capacity_bytes), whole_flops_(whole_flops) {}

std::shared_ptr<const ReferenceData> ReferenceCache::get(const std::string& oracle, const model::Case& bound,
                                                         const model::InputSet& set, const InputKey& key,
                                                         bool plain, double conditioning) {
  const std::string name = name_of(oracle, bound, set, key, plain, conditioning);
  std::promise<Data> promise;
  {
    std::unique_lock lock(mutex_);
    if (const auto found = entries_.find(name); found != entries_.end()) {
      order_.splice(order_.end(), order_, found->second.position);
      const std::shared_future<Data> data = found->second.data;
      lock.unlock();
      return data.get();
    }
    order_.push_back(name);
    entries_.emplace(name, Entry{promise.get_future().share(), 0, std::prev(order_.end())});
    ++computed_;
  }
  try {
    const auto make = [&] {
      return make_reference_data(known_, oracle, {bound, set, key, plain, conditioning, whole_flops_});
    };
    Data data = folder_ ? shared_or_made(name, oracle, bound, set, key, conditioning, make) : make();
    promise.set_value(data);
    settle(name, bytes_of(*data));
    return data;
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::scoped_lock lock(mutex_);
    order_.erase(entries_.at(name).position);
    entries_.erase(name);
    throw;
  }
}

std::shared_ptr<const ReferenceData> ReferenceCache::make(const std::string& oracle, const model::Case& bound,
                                                          const model::InputSet& set, const InputKey& key,
                                                          bool plain, double conditioning,
                                                          std::vector<std::int64_t> rows,
                                                          InputBuffers inputs) const {
  return make_reference_data(known_, oracle, {bound, set, key, plain, conditioning, whole_reference_flops},
                             std::move(rows), std::move(inputs));
}

void ReferenceCache::share(SharedFolder folder, std::string whose) {
  folder_ = std::move(folder);
  whose_ = std::move(whose);
}

ReferenceCache::Data ReferenceCache::shared_or_made(const std::string& name, const std::string& oracle,
                                                    const model::Case& bound, const model::InputSet& set,
                                                    const InputKey& key, double conditioning,
                                                    const std::function<Data()>& make) const {
  const SharedFolder::Claim claim = folder_->take(fmt::format("{}|{}|{}", name, whole_flops_, whose_));
  auto read = claim.blob ? from_bytes(*claim.blob) : std::nullopt;
  const Oracle* its = known_.find_oracle(oracle);
  if (read && its != nullptr) {
    auto data = std::make_shared<ReferenceData>(std::move(read->data));
    // Whether the infinities of the answer are poles is kept with it.
    const bool special = data->rules.special_values;
    data->rules = rules_of(known_, set);
    data->rules.special_values |= special;
    find_again(*its, {bound, set, key, false, conditioning, whole_flops_}, read->had_nearby, *data);
    return data;
  }
  Data data;
  // Isolated: a thread that holds a claim and waits for its helpers must not begin to wait for another.
  tbb::this_task_arena::isolate([&] { data = make(); });
  if (claim.keep && folder_->fits(bytes_of(*data))) claim.keep(to_bytes(*data));
  return data;
}

void ReferenceCache::settle(const std::string& name, std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  entries_.at(name).bytes = bytes;
  bytes_ += bytes;
  for (auto oldest = order_.begin(); bytes_ > capacity_bytes_ && oldest != order_.end();) {
    const auto entry = entries_.find(*oldest);
    if (entry->second.bytes == 0 || *oldest == name) {  // still being computed, or just made
      ++oldest;
      continue;
    }
    bytes_ -= entry->second.bytes;
    entries_.erase(entry);
    oldest = order_.erase(oldest);
  }
}

ReferenceCache::Usage ReferenceCache::usage() const {
  const std::scoped_lock lock(mutex_);
  return {bytes_, static_cast<std::int64_t>(entries_.size()), computed_};
}

}  // namespace evo::evaluators::oracle
