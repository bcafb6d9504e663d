#include "report/snapshot.hpp"

#include <algorithm>

#include "report/document.hpp"
#include "report/page.hpp"
#include "report/run_view.hpp"
#include "session/run_folder.hpp"

namespace evo::report {
namespace {

std::shared_ptr<const std::string> read(const std::vector<std::string>& runs,
                                        const std::vector<std::string>& benches) {
  return std::make_shared<const std::string>(embedded_json(document_of(runs, benches)));
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

Snapshot::Snapshot(std::vector<std::string> runs, std::vector<std::string> benches)
    : runs_(std::move(runs)), benches_(std::move(benches)) {
  // Asked before the ledgers are read: what a run does after that is another change.
  written_ = last_written(runs_);
  held_ = any_held(runs_);
  data_ = {1, read(runs_, benches_)};
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
  if (written != written_ || held != held_) {
    try {
      auto json = read(runs_, benches_);
      written_ = written;
      held_ = held;
      const std::lock_guard lock(mutex_);
      data_ = {data_.version + 1, std::move(json)};
      changed_.notify_all();
    } catch (const std::exception&) {
      // Another try follows with the next refresh.
    }
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
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
