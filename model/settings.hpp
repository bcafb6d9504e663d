// The settings of an experiment, described once: what config reads, the resolved experiment, the schema, the
// tables of docs/ and the wire to a device worker are made of these lists. A default is the struct's.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "model/experiment.hpp"

namespace evo::model {

/// What values a setting may have, and what they count.
struct SettingBounds {
  double minimum = 0, maximum = 0;  ///< numbers only; both included
  std::string_view unit{};          ///< "s", "MiB"; empty: a plain number
  std::string_view choices{};       ///< texts only: "a|b|c"
  /// Not written into a resolved experiment while it is the default: a run of an evo that did not know it
  /// keeps the hash of its experiment.
  bool later = false;
};

template <class Struct, class T>
struct Setting {
  const char* name;  ///< in YAML and on the wire
  T Struct::*member;
  std::string_view description;
  SettingBounds bounds;
};
/// clang learns from its version 17 on to deduce an aggregate's arguments by itself.
template <class Struct, class T>
Setting(const char*, T Struct::*, std::string_view, SettingBounds = {}) -> Setting<Struct, T>;

/// The settings of a struct in the order in which they are written. SearchSettings::mutators, a map, is not
/// among them.
template <class Struct>
inline constexpr auto settings_of = std::tuple<>{};

template <>
inline constexpr auto settings_of<SearchSettings> = std::tuple{
    Setting{"strategy",
            &SearchSettings::strategy,
            "Search strategy",
            {.choices = "genetic|random|local|surrogate|exhaustive"}},
    Setting{"population", &SearchSettings::population, "Proposals of a generation", {1, 100000}},
    Setting{"generations", &SearchSettings::generations, "Generations at most", {1, 1000000}},
    Setting{"window",
            &SearchSettings::max_in_flight,
            "Look-ahead W: proposal k sees the results of proposals up to k - W",
            {1, 100000}},
    Setting{"seed", &SearchSettings::seed, "Seed of every draw of the search", {0, 9.2e18}},
    Setting{"tournament", &SearchSettings::tournament, "Size of a tournament", {1, 1000}},
    Setting{"elite", &SearchSettings::elite, "Best variants that are always among the parents", {0, 1000}},
    Setting{
        "mutation", &SearchSettings::mutation, "Probability that a gene changes in a gene_mutation", {0, 1}},
    Setting{
        "insights", &SearchSettings::insights, "Let insights of earlier generations bias the mutation", {}},
};

template <>
inline constexpr auto settings_of<Budget> = std::tuple{
    Setting{"trials", &Budget::trials, "Trials at most; 0: population x generations", {0, 1e12}},
    Setting{"wall_seconds", &Budget::wall_seconds, "Wall-clock time; 0: no limit", {0, 1e9, "s"}},
    Setting{"device_seconds", &Budget::device_seconds, "Device time; 0: no limit", {0, 1e9, "s"}},
    Setting{"money", &Budget::cost, "Cost of device time; 0: no limit", {0, 1e9}},
    Setting{"hourly_price", &Budget::hourly_price, "Price of one device hour", {0, 1e6}},
};

template <>
inline constexpr auto settings_of<GateSettings> = std::tuple{
    Setting{"repeated_launches",
            &GateSettings::repeated_launches,
            "Launches that must be bit-equal on a real device",
            {2, 1e6}},
    Setting{"permuted_runs",
            &GateSettings::permuted_runs,
            "Runs in permuted orders on the virtual device",
            {0, 1000}},
    Setting{"champion_launches",
            &GateSettings::champion_launches,
            "Launches of the champion that must be bit-equal under perturbation (real device)",
            {0, 1e6}},
    Setting{"champion_orders",
            &GateSettings::champion_orders,
            "Permuted orders of the champion on the virtual device",
            {0, 1000}},
    Setting{"sanitizer_timeout_s",
            &GateSettings::sanitizer_timeout_s,
            "Time for each tool of compute-sanitizer on the champion; 0 runs none",
            {0, 86400, "s"}},
    Setting{"virtual_proof_s",
            &GateSettings::virtual_proof_s,
            "A champion's correctness on the virtual device where GPUs are a farm's alone; 0: no limit",
            {0, 1e6, "s"}},
    Setting{"max_spill_bytes",
            &GateSettings::max_spill_bytes,
            "What a thread may spill to pass the resources gate",
            {0, 1e6, "bytes"}},
    Setting{"instruction_budget",
            &GateSettings::instruction_budget,
            "Thread instructions of a launch on the virtual device before it is a hang",
            {1000, 1e15}},
    Setting{"launch_timeout_ms",
            &GateSettings::launch_timeout_ms,
            "Watchdog of a launch on a real device",
            {1, 1e7, "ms"}},
    Setting{"compile_timeout_s",
            &GateSettings::compile_timeout_s,
            "Time that a compile may take",
            {0.1, 1e5, "s"}},
    Setting{"compile_memory_mb", &GateSettings::compile_memory_mb, "Memory of a compile", {64, 1e6, "MiB"}},
    Setting{"timing_samples", &GateSettings::timing_samples, "Samples of the latency gate", {3, 1e6}},
    Setting{"timing_launches", &GateSettings::timing_launches, "Launches of a sample", {1, 1e5}},
    Setting{"timing_warmup", &GateSettings::timing_warmup, "Untimed samples before", {0, 1e5}},
    Setting{"paired_rounds",
            &GateSettings::paired_rounds,
            "Rounds in which a candidate and the incumbent that it seems to beat are timed in turn; up to "
            "eight times as many where they do not tell",
            {4, 1e4}},
    Setting{"timing_resolution",
            &GateSettings::timing_resolution,
            "Share of a latency below which two variants tie",
            {0, 0.5}},
    Setting{"promotion_error",
            &GateSettings::promotion_error,
            "Chance that a run promotes any candidate that is not faster than its champion, over all its "
            "comparisons",
            {.minimum = 1e-9, .maximum = 0.5, .later = true}},
    Setting{"cache",
            &GateSettings::cache,
            "What a timed launch finds in the L2 (real device): hot, what launches before it left there; "
            "cold, nothing of its buffers. It holds for trials, comparisons and the final verdict",
            {.choices = "hot|cold", .later = true}},
    Setting{"final_margin",
            &GateSettings::final_margin,
            "Share of the baseline's latency below which a gain or a loss is none in the final verdict",
            {.minimum = 0, .maximum = 0.5, .later = true}},
    Setting{"final_beside",
            &GateSettings::final_beside,
            "What the final verdict times besides the pairs that decide (real device): cache, the other L2; "
            "comparators, what else computes the problem; all, both",
            {.choices = "all|cache|comparators|none", .later = true}},
};

/// Calls visit(setting) for each, in order.
template <class Struct, class Visit>
void for_each_setting(Visit&& visit) {
  static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(settings_of<Struct>)>> > 0,
                "the struct has no settings");
  std::apply([&](const auto&... setting) { (visit(setting), ...); }, settings_of<Struct>);
}

}  // namespace evo::model
