// Inputs and references of a case, made once a process, or once for several that share a folder: all trials
// of a run are judged on the same data.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/reference_data.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/oracle/shared_folder.hpp"

namespace evo::evaluators::oracle {

/// What the data of one run may take on a machine with `memory` bytes: a thirty-second, between 512 MiB and 4
/// GiB. A cache that is smaller than what one trial goes through keeps nothing, and every trial makes all of
/// it again: two cases of 16 x 4096 x 64 elements an array take 0.8 GiB.
[[nodiscard]] std::int64_t cache_bytes_for(std::int64_t memory);
/// Of this machine.
[[nodiscard]] std::int64_t default_cache_bytes();

/// Least recently used entries go first once `capacity_bytes` is passed. Thread-safe: the first to ask
/// computes, others wait for it.
class ReferenceCache {
 public:
  /// Cases above `whole_flops` are referred to by sampled rows, drawn from the key's seed and rotation.
  explicit ReferenceCache(Catalogue known, std::int64_t capacity_bytes = default_cache_bytes(),
                          double whole_flops = whole_reference_flops);

  /// Throws model::Exception(invalid_configuration) if the oracle or the input set is unknown or does not fit
  /// the problem's arguments: no candidate can be at fault.
  /// `plain`: with the plain_errors for the rule reference_factor; it is as unfit if there are none to be
  /// had. `conditioning`: with how far the answer moves when inputs change by this much of themselves; 0:
  /// without.
  [[nodiscard]] std::shared_ptr<const ReferenceData> get(const std::string& oracle, const model::Case& bound,
                                                         const model::InputSet& set, const InputKey& key,
                                                         bool plain = false, double conditioning = 0);
  /// The same for these rows of the output only, and not kept; of `inputs`, which make_inputs() made of the
  /// same case, set and key. Whole where the oracle cannot compute rows.
  [[nodiscard]] std::shared_ptr<const ReferenceData> make(const std::string& oracle, const model::Case& bound,
                                                          const model::InputSet& set, const InputKey& key,
                                                          bool plain, double conditioning,
                                                          std::vector<std::int64_t> rows,
                                                          InputBuffers inputs) const;

  /// From now on data is shared with other processes that have an equal catalogue, through this folder.
  /// `whose`: the problem's own reference, if it has one (its hash). Before the first get().
  void share(SharedFolder folder, std::string whose);

  [[nodiscard]] const Catalogue& catalogue() const { return known_; }

  struct Usage {
    std::int64_t bytes = 0;
    std::int64_t entries = 0;
    std::int64_t computed = 0;  ///< how often data was made
  };
  [[nodiscard]] Usage usage() const;

 private:
  using Data = std::shared_ptr<const ReferenceData>;
  struct Entry {
    std::shared_future<Data> data;
    std::int64_t bytes = 0;  ///< 0 while it is being computed
    std::list<std::string>::iterator position;
  };
  void settle(const std::string& name, std::int64_t bytes);
  [[nodiscard]] Data shared_or_made(const std::string& name, const std::string& oracle,
                                    const model::Case& bound, const model::InputSet& set, const InputKey& key,
                                    double conditioning, const std::function<Data()>& make) const;

  Catalogue known_;
  std::int64_t capacity_bytes_;
  double whole_flops_;
  std::optional<SharedFolder> folder_;
  std::string whose_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::list<std::string> order_;  ///< least recently used first
  std::int64_t bytes_ = 0, computed_ = 0;
};

}  // namespace evo::evaluators::oracle
