#include "report/snapshot.hpp"

#include <algorithm>

#include "model/error.hpp"
#include "report/changes.hpp"
#include "report/document.hpp"
#include "report/page.hpp"
#include "report/run_view.hpp"
#include "session/run_folder.hpp"

namespace evo::report {
namespace {

constexpr std::size_t most_changes = 16;
/// Who is further behind takes all at once.
constexpr std::size_t most_bytes_of_changes = 4 << 20;

Snapshot::Data data_of(std::uint64_t version, const boost::json::object& document) {
  auto json = std::make_shared<const std::string>(embedded_json(document));
  auto page = std::make_shared<const std::string>(live_page(*json, version));
  return {.version = version, .json = std::move(json), .page = std::move(page)};
}

/// The document of runs that nobody has read; `trouble`: why it cannot be, or "".
boost::json::object unread(const std::vector<std::string>& runs, std::string_view trouble) {
  boost::json::object document = document_of({}, {});
  document["reading"] = boost::json::array(runs.begin(), runs.end());
  document["trouble"] = trouble;
  return document;
}

std::uintmax_t bytes_of(const std::vector<std::string>& runs) {
  std::uintmax_t bytes = 0;
  for (const std::string& run : runs) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(session::RunFolder{run}.ledger(), error);
    if (error) throw session::no_run_folder(run);
    bytes += size;
  }
  return bytes;
}

}  // namespace

std::filesystem::file_time_type last_written(const std::vector<std::string>& runs) {
  auto newest = std::filesystem::file_time_type::min();
  for (const std::string& run : runs) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(session::RunFolder{run}.ledger(), error);
    if (!error) newest = std::max(newest, time);
  }
  return newest;
}

bool any_held(const std::vector<std::string>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const std::string& run) { return is_held(run); });
}

Snapshot::Snapshot(std::vector<std::string> runs, std::vector<std::string> benches, std::uintmax_t at_once)
    : runs_(std::move(runs)), benches_(std::move(benches)) {
  // Asked before the ledgers are read: what a run does after that is another change.
  written_ = last_written(runs_);
  held_ = any_held(runs_);
  pending_ = bytes_of(runs_) > at_once;
  document_ = pending_ ? unread(runs_, "") : document_of(runs_, benches_, &remembered_);
  data_ = data_of(pending_ ? 0 : 1, document_);
  if (!held_) document_ = {};
}

Snapshot::Data Snapshot::now() const {
  const std::lock_guard lock(mutex_);
  return data_;
}

Snapshot::Data Snapshot::wait(std::uint64_t known, std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [&] { return closed_ || data_.version != known; });
  return data_;
}

std::chrono::milliseconds Snapshot::refresh() {
  const auto begin = std::chrono::steady_clock::now();
  const auto written = last_written(runs_);
  const bool held = any_held(runs_);
  if (pending_ || written != written_ || held != held_) {
    try {
      take(document_of(runs_, benches_, &remembered_));
      written_ = written;
      held_ = held;
      pending_ = false;
    } catch (const std::exception& error) {
      // Another try follows with the next refresh; who has seen nothing yet is told.
      if (now().version == 0) take(unread(runs_, error.what()));
    }
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
}

std::string Snapshot::Data::since(std::uint64_t known) const {
  if (known > version || version - known > changes.size()) return "null";
  std::string text = "[";
  for (std::size_t i = changes.size() - (version - known); i < changes.size(); ++i)
    text += (text.size() > 1 ? "," : "") + *changes[i];
  return text + "]";
}

void Snapshot::take(boost::json::object document) {
  Data data = data_of(now().version + 1, document);
  // Who was told of no run yet takes the whole page.
  if (data.version > 1) {
    const auto change = changes(document_, document);
    data.changes = now().changes;
    data.changes.push_back(
        std::make_shared<const std::string>(change ? embedded_json(*change) : std::string(R"({"at":{}})")));
    std::size_t bytes = 0, kept = 0;
    for (auto one = data.changes.rbegin(); one != data.changes.rend() && kept < most_changes; ++one, ++kept)
      if ((bytes += (*one)->size()) > most_bytes_of_changes) break;
    data.changes.erase(data.changes.begin(), data.changes.end() - static_cast<std::ptrdiff_t>(kept));
  }
  // Of a run that does not go on nobody asks for what is new.
  document_ = any_held(runs_) ? std::move(document) : boost::json::object();
  const std::lock_guard lock(mutex_);
  data_ = std::move(data);
  changed_.notify_all();
}

void Snapshot::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool Snapshot::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace evo::report
