#include "farm/prometheus.hpp"

#include <cmath>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace evo::farm {
namespace {

namespace json = boost::json;

struct Metric {
  const char* field;  ///< of the sign, or of the farm
  const char* name;
  const char* type;
  const char* help;
};

std::optional<double> number_of(const json::object& from, const char* field) {
  const json::value* found = from.if_contains(field);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  boost::system::error_code error;
  const double value = found->to_number<double>(error);
  if (error || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string head(const Metric& metric) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric.name, metric.help, metric.name, metric.type);
}

void add(std::string& text, const json::object& from, std::initializer_list<Metric> metrics) {
  for (const Metric& metric : metrics) {
    if (const auto value = number_of(from, metric.field))
      text += head(metric) + fmt::format("{} {}\n", metric.name, *value);
  }
}

/// A line for each member that has the number.
void add_members(std::string& text, const json::object& status, const char* members, const char* label,
                 std::initializer_list<Metric> metrics) {
  const json::value* all = status.if_contains(members);
  if (all == nullptr || !all->is_array()) return;
  for (const Metric& metric : metrics) {
    std::string lines;
    for (const json::value& member : all->as_array()) {
      const json::value* name = member.is_object() ? member.as_object().if_contains("name") : nullptr;
      if (name == nullptr || !name->is_string()) continue;
      if (const auto value = number_of(member.as_object(), metric.field))
        lines += fmt::format("{}{{{}=\"{}\"}} {}\n", metric.name, label, name->as_string().c_str(), *value);
    }
    if (!lines.empty()) text += head(metric) + lines;
  }
}

/// The members of an object of objects, each with its name.
json::array named(const json::object& status, const char* members) {
  json::array list;
  const json::value* all = status.if_contains(members);
  if (all == nullptr || !all->is_object()) return list;
  for (const auto& member : all->as_object()) {
    if (!member.value().is_object()) continue;
    json::object entry = member.value().as_object();
    entry["name"] = member.key();
    list.push_back(std::move(entry));
  }
  return list;
}

double size_of(const json::object& status, const char* members) {
  const json::value* all = status.if_contains(members);
  return all != nullptr && all->is_array() ? static_cast<double>(all->as_array().size()) : 0;
}

}  // namespace

std::string prometheus_text(const json::object& status) {
  std::string text;
  if (const json::value* jobs = status.if_contains("jobs"); jobs != nullptr && jobs->is_object()) {
    add(text, jobs->as_object(),
        {{"waiting", "evo_farm_jobs_waiting", "gauge", "Jobs that no worker has."},
         {"lent", "evo_farm_jobs_lent", "gauge", "Jobs that workers have."},
         {"lent_again", "evo_farm_jobs_lent_again", "gauge",
          "Of these, those that a worker was lost with."}});
  }
  add_members(text, {{"lines", named(status, "lines")}}, "lines", "line",
              {{"waiting", "evo_farm_line_jobs_waiting", "gauge", "Jobs of the line that no worker has."},
               {"lent", "evo_farm_line_jobs_lent", "gauge", "Jobs of the line that workers have."}});
  add_members(text, {{"kept", named(status, "kept")}}, "kept", "store",
              {{"bytes", "evo_farm_kept_bytes", "gauge", "What the server keeps of it."},
               {"max_bytes", "evo_farm_kept_max_bytes", "gauge", "What it keeps at most."}});
  add(text, status, {{"results", "evo_farm_results_waiting", "gauge", "Results that no run has taken."}});
  add(text, {{"workers", size_of(status, "workers")}, {"runs", size_of(status, "runs")}},
      {{"workers", "evo_farm_workers", "gauge", "Workers that gave a sign in the last 15 s."},
       {"runs", "evo_farm_runs", "gauge", "Runs that gave a sign in the last 15 s."}});
  add_members(
      text, status, "workers", "worker",
      {{"threads", "evo_farm_worker_threads", "gauge", "Jobs that it does at a time."},
       {"answered", "evo_farm_worker_answered_total", "counter", "Results that it sent."},
       {"failed", "evo_farm_worker_failed_total", "counter", "Jobs that it had no result for."},
       {"malformed", "evo_farm_worker_malformed_total", "counter", "What was no job."},
       {"busy_seconds", "evo_farm_worker_busy_seconds_total", "counter", "Time in jobs, of all threads."},
       {"clock_ahead_s", "evo_farm_worker_clock_ahead_seconds", "gauge", "Its clock, less a run's."},
       {"money", "evo_farm_worker_money_total", "counter", "Its price an hour times its time here."}});
  add_members(text, status, "runs", "run",
              {{"jobs", "evo_farm_run_jobs_total", "counter", "Jobs that it sent."},
               {"answered", "evo_farm_run_answered_total", "counter", "Results that it took."},
               {"refused", "evo_farm_run_refused_total", "counter", "Results that it refused."},
               {"failed", "evo_farm_run_failed_total", "counter", "Jobs that a worker had no result for."},
               {"put_again", "evo_farm_run_put_again_total", "counter", "Jobs that the queue had lost."},
               {"local", "evo_farm_run_local_total", "counter", "Jobs that it ran itself."},
               {"here", "evo_farm_run_here_total", "counter", "Jobs that no worker had room for."},
               {"shared", "evo_farm_run_shared_total", "counter", "Compiles that a run had made before."},
               {"money", "evo_farm_run_money_total", "counter", "What its workers took for its jobs."},
               {"share", "evo_farm_run_share", "gauge", "Jobs that it may have in the queue."}});
  return text;
}

}  // namespace evo::farm
