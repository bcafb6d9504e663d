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

#include "evaluators/oracle/blurred.hpp"
#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"
#include "evaluators/oracle/shared_folder.hpp"
#include "evaluators/oracle/undecided.hpp"
#include "evaluators/oracle/undefined.hpp"

namespace evo::evaluators::oracle {

/// A property of kept data that is found when it is first asked for. Thread-safe; copies share what was
/// found.
class Found {
 public:
  template <class Find>
  [[nodiscard]] bool or_find(const Find& find) const {
    std::call_once(state_->once, [&] { state_->value = find(); });
    return state_->value;
  }

 private:
  struct State {
    std::once_flag once;
    bool value = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// What a device knows the inputs by (devices::Device::digest), made when it is first asked for. Thread-safe;
/// copies share what was made.
class InputDigests {
 public:
  using Digests = std::vector<std::optional<std::uint64_t>>;
  template <class Make>
  [[nodiscard]] const Digests& or_make(const Make& make) const {
    std::call_once(state_->once, [&] { state_->digests = make(); });
    return state_->digests;
  }

 private:
  struct State {
    std::once_flag once;
    Digests digests;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

struct ReferenceData : Reference {
  InputBuffers inputs;
  /// Of integers that `outputs` holds to 53 bits only (exact_words.hpp).
  ExactWords words{};
  /// False: the answer to these inputs is beyond the output's type, or there is none. Only of structured
  /// inputs, which nobody declared.
  bool in_domain = true;
  /// selects_inputs(), and float_keeps_integers() of the oracle and the case: every trial asks.
  Found selects{}, keeps_integers{};
  InputDigests digests{};
  /// Asked where integers differ from `outputs` (undecided.hpp). Empty where they are held to them bit for
  /// bit: on inputs that are there for equals and ties, which a change of the inputs breaks.
  NearbyAnswers nearby{};
  /// Asked where floating-point outputs differ: what the oracle's own roundings decide. Empty on sampled
  /// rows.
  BlurredElements blurred{};
  /// Asked where outputs differ: elements that the reference leaves undefined. Empty on sampled rows.
  UndefinedElements undefined{};
  /// Asked where floating-point outputs differ by more than is granted. Empty on sampled rows, and where
  /// nothing is granted for moves.
  BlurredElements moved{};
};

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
