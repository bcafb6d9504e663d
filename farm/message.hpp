// What a coordinator and a worker of a farm say to each other: device jobs and results (gates/device_job.hpp)
// in an envelope that says whose they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace evo::farm {

/// A longer message is neither sent nor read: what the servers of `evo farm up` take (farm/nats/server.hpp).
inline constexpr std::size_t max_message_bytes = std::size_t{8} << 20;

/// What both ends must have in common, or their verdicts may differ.
struct Build {
  std::string evo;        ///< "0.2.0"
  std::string toolchain;  ///< what computes the references: "g++ 12.2, glibc 2.36"
  std::string device;     ///< what the jobs run on: "virtual", "NVRTC 13.0.88", "NVIDIA H200, driver 580.159"
  bool operator==(const Build&) const = default;
};
/// Which part differs, and how: "evo 0.3.0, the run has 0.2.0". Empty: none.
[[nodiscard]] std::string difference(const Build& worker, const Build& run);

struct JobMessage {
  std::string run;    ///< 1 to 64 letters, digits, '-', '_': part of a subject
  std::string id;     ///< hash of run, target and body: the same job has the same id
  std::string nonce;  ///< only who holds the job knows it
  Build build;
  std::string target;               ///< the profile that the device has, as the run's session writes it
  std::string body;                 ///< gates::to_json(DeviceJob), or what else the line's workers read
  std::vector<std::string> code{};  ///< hashes of what the body names (code.hpp): it may be fetched before
};
struct ResultMessage {
  std::string run, id, nonce;
  std::string worker;
  std::string error;   ///< why the worker's environment, not the candidate, ended the job; empty: it did not
  std::string body;    ///< gates::to_json(DeviceResult); empty after an error
  double price = 0;    ///< of an hour of what did the job; 0: it says none
  double seconds = 0;  ///< that the job took there
  bool code_missing = false;  ///< of an error: the farm has not the code that the job names (code.hpp)
};

/// A name that may be part of a subject: no dot, no wildcard, no path.
[[nodiscard]] bool is_plain_name(std::string_view name);
/// The line (JobName::line) of jobs that run on such a device (Build::device): its letters and digits.
[[nodiscard]] std::string line_of(std::string_view device);
/// The line of comparisons in turn on such a device, which its workers look at first: commits wait for them.
[[nodiscard]] std::string comparisons_line_of(std::string_view device);
/// A stranger's text as a log or a terminal may get it: printable ASCII, '?' for each other byte, at most
/// 300.
[[nodiscard]] std::string said(std::string_view text);
[[nodiscard]] std::string job_id(std::string_view run, std::string_view target, std::string_view body);

/// Would encode() take it? Cheaper than encoding.
[[nodiscard]] bool fits(const JobMessage& message);
/// Throw model::Exception(failed) for what is longer than max_message_bytes.
[[nodiscard]] std::string encode(const JobMessage& message);
[[nodiscard]] std::string encode(const ResultMessage& message);
/// The error says what is wrong with the text: its length, its JSON, a name, an id that is not its body's.
[[nodiscard]] tl::expected<JobMessage, std::string> job_from(std::string_view text);
[[nodiscard]] tl::expected<ResultMessage, std::string> result_from(std::string_view text);

}  // namespace evo::farm
