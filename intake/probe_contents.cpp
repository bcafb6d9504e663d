// What scalars and arrays hold when a probe is launched.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <yaml-cpp/yaml.h>

#include "config/scalar_value.hpp"
#include "config/yaml_reader.hpp"
#include "intake/probe_run.hpp"
#include "intake/struct_fields.hpp"
#include "intake/types.hpp"
#include "model/real_expression.hpp"

namespace evo::intake {

std::vector<std::byte> ProbeRun::scalar(const DraftArgument& argument) const {
  const bool wide = whose_ == Probed::reference && ElementType{argument.dtype}.floating();
  std::vector<std::byte> bytes(wide ? 8 : static_cast<std::size_t>(bytes_of(argument.dtype)));
  if (ElementType{argument.dtype}.floating()) {
    const double value = real_value(argument.value);
    const auto narrow = static_cast<float>(value);
    if (bytes.size() == 8) std::memcpy(bytes.data(), &value, 8);
    if (bytes.size() == 4) std::memcpy(bytes.data(), &narrow, 4);
    return bytes;
  }
  const std::int64_t value = value_of(argument.value).value_or(1);
  std::memcpy(bytes.data(), &value, std::min<std::size_t>(bytes.size(), 8));
  return bytes;
}

/// As problem.yaml reads it, at these sizes: "0.5", "1.0 * height / rows"; 1 where it cannot be reckoned.
double ProbeRun::real_value(const std::string& text) const {
  model::ScalarValue value;
  try {
    value = config::read_scalar(config::Reader(YAML::Node(text), "", ""));
  } catch (const config::Invalid&) {
    return 1;  // whoever loads the problem hears of it
  }
  using Form = model::ScalarValue::Form;
  if (value.form == Form::number) return value.number;
  if (value.form == Form::real) {
    model::RealValues sizes;
    for (const std::string& name : value.expression.names()) {
      if (const auto size = model::Expression::parse(name)->evaluate_integer(environment_))
        sizes.emplace(name, static_cast<double>(*size));
    }
    const auto real = model::evaluate_real(value.real, sizes);
    return real && std::isfinite(*real) ? *real : 1;
  }
  const auto whole = value.expression.evaluate_integer(environment_);
  const auto times = value.times ? value.times->evaluate_integer(environment_)
                                 : model::Expected<std::int64_t>(std::int64_t{1});
  if (!whole || !times) return 1;
  const auto number = static_cast<double>(*whole);
  if (value.form == Form::integer) return number;
  if (number <= 0) return 1;
  if (value.form == Form::inverse_sqrt) return 1 / std::sqrt(number);
  return value.number * static_cast<double>(*times) / number;
}

std::optional<std::pair<std::int64_t, std::int64_t>> ProbeRun::told_range(std::size_t argument) const {
  const DraftArgument& draft = draft_.arguments[argument];
  if (ElementType{draft.dtype}.floating() && !draft.holds_indices) return std::nullopt;
  for (const auto& [key, value] : draft.keys) {
    if (const auto range = key == "fill" ? range_of(value) : std::nullopt) return range;
  }
  return std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> ProbeRun::range_of(const std::string& value) const {
  try {
    const YAML::Node fill = YAML::Load(value);
    if (fill.IsMap() && fill["permutation"] && fill["permutation"].IsScalar()) {
      const auto count = value_of(fill["permutation"].as<std::string>());
      if (count && *count > 0) return std::pair{std::int64_t{0}, *count - 1};
    }
    if (fill.IsMap() && fill["offsets"]) {
      // [n, least]: rows that are never empty.
      const YAML::Node all = fill["offsets"].IsSequence() ? fill["offsets"][0] : fill["offsets"];
      const auto high = value_of(all.as<std::string>());
      if (high && *high >= 0) return std::pair{std::int64_t{0}, *high};
    }
    for (const char* kind : {"integers", "sorted", "distinct"}) {
      if (!fill.IsMap() || !fill[kind] || !fill[kind].IsSequence() || fill[kind].size() != 2) continue;
      const auto low = value_of(fill[kind][0].as<std::string>());
      const auto high = value_of(fill[kind][1].as<std::string>());
      if (low && high && *low <= *high) return std::pair{*low, *high};
    }
  } catch (const YAML::Exception&) {
    return std::nullopt;  // whoever loads the problem hears of it
  }
  return std::nullopt;
}

void ProbeRun::put_number(std::int64_t number, std::size_t argument, std::size_t element,
                          std::vector<std::byte>& bytes) const {
  const DraftArgument& draft = draft_.arguments[argument];
  const bool floating = draft.fields.empty() && ElementType{draft.dtype}.floating();
  const auto size = static_cast<std::size_t>(element_bytes(argument));
  const auto wide = static_cast<double>(number);
  const auto narrow = static_cast<float>(number);
  const void* from = &number;
  if (floating && size >= 4) from = size == 8 ? static_cast<const void*>(&wide) : &narrow;
  std::memcpy(&bytes[element * size], from, std::min<std::size_t>(size, 8));
}

void ProbeRun::fill_columns(std::size_t argument, ProbeFill how, unsigned seed,
                            std::vector<std::byte>& bytes) const {
  const DraftArgument& draft = draft_.arguments[argument];
  const bool held = held_ && held_->argument == argument && held_->column >= 0;
  if ((draft.columns.empty() && !held) || draft.shape.empty()) return;
  const std::int64_t width = value_of(draft.shape.back()).value_or(0);
  const auto count = static_cast<std::int64_t>(bytes.size()) / element_bytes(argument);
  const auto over = [&](std::int64_t column, const auto& number_of) {
    for (std::int64_t e = column; width > 0 && column < width && e < count; e += width)
      put_number(number_of(e / width), argument, static_cast<std::size_t>(e), bytes);
  };
  for (const DraftColumn& column : draft.columns) {
    for (const auto& [key, value] : column.keys) {
      const auto range = key == "fill" ? range_of(value) : std::nullopt;
      if (!range) continue;
      const std::int64_t low = range->first, high = range->second;
      over(column.column, [&](std::int64_t row) {
        const std::int64_t step = (7 * row + static_cast<std::int64_t>(seed)) % (high - low + 1);
        return how == ProbeFill::zeros ? low : how == ProbeFill::ones ? high : low + step;
      });
    }
  }
  if (held) over(held_->column, [&](std::int64_t) { return held_->last; });
}

void ProbeRun::fill(std::size_t argument, ProbeFill how, unsigned seed, std::vector<std::byte>& bytes) const {
  fill_whole(argument, how, seed, bytes);
  fill_columns(argument, how, seed, bytes);
}

void ProbeRun::fill_whole(std::size_t argument, ProbeFill how, unsigned seed,
                          std::vector<std::byte>& bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  // Asked once: arrays have millions of elements, and each launch fills all of them.
  const std::string& dtype = draft_.arguments[argument].dtype;
  const bool floating = draft_.arguments[argument].fields.empty() && ElementType{dtype}.floating();
  const auto size = static_cast<std::size_t>(element_bytes(argument));
  const auto put = [&](std::int64_t number, std::size_t element) {
    const auto wide = static_cast<double>(number);
    const auto narrow = static_cast<float>(number);
    const void* from = &number;
    if (floating && size >= 4) from = size == 8 ? static_cast<const void*>(&wide) : &narrow;
    std::memcpy(&bytes[element * size], from, std::min<std::size_t>(size, 8));
  };
  const bool is_held = held_ && held_->argument == argument && held_->column < 0;
  const Held* held = is_held ? &*held_ : nullptr;
  for (const Held& each : kept_) {
    if (held == nullptr && each.argument == argument) held = &each;
  }
  if (held != nullptr) {
    // Offsets that ascend do so over the elements that there are, not over the room around them.
    const auto room = static_cast<std::int64_t>(bytes.size() / size);
    const std::int64_t count = std::min(room, held->elements > 0 ? held->elements : room);
    for (std::int64_t e = 0; e < room; ++e) {
      const bool ascends = held->ascending && count > 1;
      const std::int64_t number = ascends ? held->last * std::min(e, count - 1) / (count - 1) : held->last;
      put(number, static_cast<std::size_t>(e));
    }
    return;
  }
  if (fill_rows(argument, how, seed, bytes)) return;
  if (const auto range = told_range(argument)) {
    const auto& [low, high] = *range;
    const std::size_t count = bytes.size() / size;
    const auto is_filled_with = [&](const char* kind) {
      return std::ranges::any_of(draft_.arguments[argument].keys, [&](const auto& key) {
        return key.first == "fill" && key.second.find(kind) != std::string::npos;
      });
    };
    // Offsets begin and end with their range. Sorted numbers need not, so that what lies before them may be
    // left.
    const bool each_once = is_filled_with("permutation") || is_filled_with("distinct");
    const bool offsets = is_filled_with("offsets"), ascends = offsets || is_filled_with("sorted");
    for (std::size_t e = 0; e < count; ++e) {
      const auto width = static_cast<std::uint64_t>(high - low) + 1;
      // With a factor that shares none with the width each number comes once.
      const std::uint64_t factor = width % 7 != 0 ? 7 : width % 11 != 0 ? 11 : 1;
      const auto step = static_cast<std::int64_t>((e * factor + seed) % width);
      if (ascends && how != ProbeFill::zeros) {
        const auto last = static_cast<std::int64_t>(std::max<std::size_t>(count, 2) - 1);
        const auto place = static_cast<std::int64_t>(e);
        put(low + (high - low) * (offsets ? place : place + 1) / (offsets ? last : last + 2), e);
        continue;
      }
      const bool between = how == ProbeFill::mixed || each_once;
      // Of fewer places than there are, the last ones lead as far as any.
      const std::int64_t number = how == ProbeFill::ones && each_once ? high - step
                                  : between                           ? low + step
                                  : how == ProbeFill::zeros           ? low
                                                                      : high;
      put(number, e);
    }
    return;
  }
  if (how == ProbeFill::zeros) return;
  if (!draft_.arguments[argument].fields.empty()) return fill_structs(argument, how, seed, bytes);
  const bool brain = dtype == "bf16";
  std::uint32_t state = 12345U + 977U * static_cast<std::uint32_t>(argument) + 31U * seed;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    state = state * 1664525U + 1013904223U;
    const std::uint32_t drawn = state >> 16;
    const double number = how == ProbeFill::ones ? 1.0 : (static_cast<double>(drawn) - 32768.0) / 16384.0;
    const auto narrow = static_cast<float>(number);
    std::uint32_t half = 0;
    std::memcpy(&half, &narrow, 4);
    // The upper half of a float is a bfloat16; of binary16, one and its neighbours.
    if (floating && size == 8) std::memcpy(&bytes[at], &number, 8);
    if (floating && size == 4) std::memcpy(&bytes[at], &narrow, 4);
    if (floating && size == 2) {
      const auto bits = static_cast<std::uint16_t>(
          brain ? half >> 16 : 0x3c00U + (how == ProbeFill::ones ? 0U : drawn & 0x1ffU));
      std::memcpy(&bytes[at], &bits, 2);
    }
    if (floating && size == 1) bytes[at] = std::byte{0x38};
    if (!floating) bytes[at] = static_cast<std::byte>(how == ProbeFill::ones ? 1 : drawn & 1U);
  }
}

/// Ones in the type of each field, or neighbours that are not alike.
void ProbeRun::fill_structs(std::size_t argument, ProbeFill how, unsigned seed,
                            std::vector<std::byte>& bytes) const {
  const std::vector<DraftField>& fields = draft_.arguments[argument].fields;
  const bool wide = whose_ == Probed::reference;
  const std::vector<std::int64_t> offsets = field_offsets(fields, wide);
  const auto size = static_cast<std::size_t>(offsets.back());
  std::uint32_t state = 12345U + 977U * static_cast<std::uint32_t>(argument) + 31U * seed;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const bool floating = ElementType{fields[f].dtype}.floating();
      const auto length = static_cast<std::size_t>(floating && wide ? 8 : bytes_of(fields[f].dtype));
      for (std::size_t k = 0; k < static_cast<std::size_t>(fields[f].lanes); ++k) {
        state = state * 1664525U + 1013904223U;
        const std::uint32_t drawn = state >> 16;
        const double number = how == ProbeFill::ones ? 1.0 : (static_cast<double>(drawn) - 32768.0) / 16384.0;
        const auto narrow = static_cast<float>(number);
        const std::uint64_t whole = how == ProbeFill::ones ? 1 : drawn & 1U;
        const std::uint16_t half = 0x3c00U;  // one, of binary16
        const void* from = &whole;
        if (floating) from = length == 8 ? static_cast<const void*>(&number) : &narrow;
        if (floating && length == 2) from = &half;
        std::memcpy(&bytes[at + static_cast<std::size_t>(offsets[f]) + k * length], from, length);
      }
    }
  }
}

bool ProbeRun::begins_with_zeros(const DraftArgument& argument) {
  return std::ranges::any_of(argument.keys, [](const auto& key) {
    return (key.first == "before" && key.second == "zero") || (key.first == "zeroed" && key.second == "true");
  });
}

void ProbeRun::scatter(std::size_t argument, unsigned seed, std::vector<std::byte>& bytes) const {
  if (ElementType{draft_.arguments[argument].dtype}.floating()) return;
  // SplitMix64. A linear generator begun at neighbouring seeds gives one byte for all of them in one place of
  // some hundred, which would then seem to be left alone.
  std::uint64_t state = (std::uint64_t{seed} << 32) + argument;
  for (std::byte& byte : bytes) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
    byte = static_cast<std::byte>(mixed >> 56);
  }
}

}  // namespace evo::intake
