#include "engine/sqlite/sample_rows.hpp"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/record_json.hpp"

namespace evo::engine::sqlite {
namespace {

bool yes_or_no(const Statement& statement, int column) {
  const std::int64_t value = statement.integer(column);
  if (value != 0 && value != 1) throw std::runtime_error(fmt::format("{} where 0 or 1 is due", value));
  return value == 1;
}

std::vector<double> floats_of(const std::string& bytes) {
  if (bytes.size() % 4 != 0) throw std::runtime_error("half a sample");
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
      word |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    values.push_back(std::bit_cast<float>(word));
  }
  return values;
}

/// Floats of 32 bits, little-endian.
std::string bytes_of(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) {
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((word >> shift) & 0xff));
  }
  return bytes;
}

}  // namespace

void read_timings(Statement& statement, TrialRecord& trial) {
  statement.reset();
  statement.bind(trial.index);
  while (statement.step()) {
    model::TimingNotes notes;
    notes.clocks.watched = yes_or_no(statement, 1);
    notes.clocks.discarded = static_cast<std::uint32_t>(statement.integer(2));
    notes.clocks.kept = static_cast<std::uint32_t>(statement.integer(3));
    notes.clocks.reasons = texts_from_json(statement.text(4));
    notes.odd = odd_series_from_json(statement.text(5));
    if (!yes_or_no(statement, 0)) {
      trial.timing = std::move(notes);
    } else {
      if (!trial.paired) throw std::runtime_error("what was unusual about a comparison that is not there");
      trial.paired->timing = std::move(notes);
    }
  }
}

void write_timing(Database& database, std::int64_t trial, bool compared, const model::TimingNotes& notes) {
  Statement statement = database.prepare("INSERT INTO timings VALUES (?, ?, ?, ?, ?, ?, ?)");
  const model::HeldClocks& clocks = notes.clocks;
  statement.bind(trial).bind(compared ? 1 : 0).bind(clocks.watched ? 1 : 0);
  statement.bind(std::int64_t{clocks.discarded}).bind(std::int64_t{clocks.kept});
  statement.bind(to_json(clocks.reasons)).bind(to_json(notes.odd)).run();
}

std::vector<model::SampleSeries> read_samples(Database& database, std::int64_t trial) {
  Statement statement =
      database.prepare("SELECT workload, side, us, position FROM samples WHERE trial = ? ORDER BY position");
  statement.bind(trial);
  std::vector<model::SampleSeries> samples;
  while (statement.step()) {
    if (statement.integer(3) != static_cast<std::int64_t>(samples.size()))
      throw std::runtime_error(
          fmt::format("position {} where {} is due", statement.integer(3), samples.size()));
    samples.push_back({statement.text(0), statement.text(1), floats_of(statement.blob(2))});
  }
  return samples;
}

void write(Database& database, std::int64_t trial, const std::vector<model::SampleSeries>& samples) {
  if (samples.empty()) return;
  Statement statement = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    statement.bind(trial).bind(static_cast<std::int64_t>(i)).bind(samples[i].workload).bind(samples[i].side);
    statement.bind_blob(bytes_of(samples[i].us)).run();
  }
}

}  // namespace evo::engine::sqlite
