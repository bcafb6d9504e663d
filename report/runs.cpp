#include "report/runs.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "model/error.hpp"
#include "report/run_gain.hpp"
#include "report/run_view.hpp"

namespace evo::report {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

json::value age_of(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  if (error) return nullptr;
  const auto age = fs::file_time_type::clock::now() - written;
  return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

}  // namespace

std::vector<fs::path> run_folders(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{} is no directory: 'evo runs DIR' lists the runs below DIR", folder.string()));
  std::vector<fs::path> found;
  if (fs::exists(folder / "ledger.sqlite", error)) found.push_back(folder);
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
    if (error) break;
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    const bool run = fs::exists(entry->path() / "ledger.sqlite", ignored);
    if (run) found.push_back(entry->path());
    if (run || entry->path().filename().string().starts_with('.')) entry.disable_recursion_pending();
  }
  std::sort(found.begin(), found.end());
  return found;
}

json::object run_line(const fs::path& folder, Remembered* remembered) {
  json::object line{
      {"run", folder.string()},  {"state", nullptr},   {"status", nullptr},   {"device", nullptr},
      {"latency_kind", nullptr}, {"trials", nullptr},  {"champion", nullptr}, {"latency_us", nullptr},
      {"speedup", nullptr},      {"verdict", nullptr}, {"problem", ""}};
  line["age_seconds"] = age_of(folder / "ledger.sqlite");
  try {
    const RunView view = read_run(folder.string(), {.remembered = remembered, .most = 0});
    line["state"] = name_of(view.state);
    line["status"] = engine::name_of(view.result.status);
    if (const auto& meta = view.ledger.meta) {
      line["device"] = meta->device_name;
      line["latency_kind"] = model::name_of(meta->latency_kind);
    }
    line["trials"] = view.all.count;
    const auto& last = view.result.progress.champion;
    const engine::TrialRecord* champion = last ? &*last : view.champion();
    if (champion == nullptr) return line;
    line["champion"] = champion->variant;
    if (const auto latency = champion->latency()) line["latency_us"] = latency->microseconds;
    if (const auto gain = gain_of_run(view); gain && gain->speedup) {
      line["speedup"] = *gain->speedup;
      line["verdict"] = name_of(gain->verdict);
    }
  } catch (const model::Exception& error) {
    line["problem"] = error.what();
  }
  return line;
}

}  // namespace evo::report
