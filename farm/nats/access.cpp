#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "farm/nats/connection.hpp"
#include "farm/nats/nonce.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace fs = std::filesystem;

/// "HOST" or "HOST:PORT", a host of IPv6 in brackets.
bool is_place(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = text.find(':', bracket);
  const std::string_view host = text.substr(0, colon);
  if (host.empty() || host.find_first_of("/ ") != std::string_view::npos) return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view digits = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc() && end == digits.data() + digits.size() && port > 0 && port <= 65535;
}

bool is_base32(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7'); });
}

}  // namespace

std::vector<std::string> read_secret(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error || !fs::is_regular_file(status))
    throw model::Exception(model::ExitCode::environment, fmt::format("{}: no such token file", file));
  if ((status.permissions() & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}: others may read this token file: chmod 600 {}", file, file));
  }
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; lines.size() < 16 && std::getline(in, line);)
    if (!line.empty()) lines.push_back(std::move(line));
  if (lines.empty())
    throw model::Exception(model::ExitCode::environment, fmt::format("{}: no token in its first line", file));
  return lines;
}

bool is_seed(const std::string& line) {
  return line.starts_with("SU") && line.size() == 58 && is_base32(line);
}

bool is_user_nkey(const std::string& text) {
  return text.size() == 56 && text.front() == 'U' && is_base32(text);
}

Access access_of(const std::string& url, const std::string& token_file, const std::string& ca_file) {
  if (!url.starts_with("nats://") && !url.starts_with("tls://")) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("'{}' is no address of a farm: nats://HOST:PORT or tls://HOST:PORT", url));
  }
  if (url.find('@') == std::string::npos && !is_place(std::string_view(url).substr(url.find("//") + 2))) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format(
            "'{}' is no address of a farm: nats://HOST:PORT or tls://HOST:PORT, a port from 1 to 65535",
            url));
  }
  if (url.find('@') != std::string::npos) {
    throw model::Exception(
        model::ExitCode::usage,
        "the address of a farm takes no password, which every list of processes would show: "
        "--token-file FILE");
  }
  Access access;
  access.url = url;
  access.ca_file = ca_file;
  std::error_code ignored;
  if (!ca_file.empty() && !fs::is_regular_file(ca_file, ignored))
    throw model::Exception(model::ExitCode::environment, fmt::format("{}: no such certificate", ca_file));
  if (token_file.empty()) return access;
  const std::vector<std::string> lines = read_secret(token_file);
  if (const auto seed = std::ranges::find_if(lines, is_seed); seed != lines.end()) {
    const auto key = std::ranges::find_if(lines, is_user_nkey);
    if (key == lines.end())
      throw model::Exception(
          model::ExitCode::environment,
          fmt::format("{}: it has the seed of an NKey, and no line with its public key, U...: nk -inkey {} "
                      "-pubout >> {}",
                      token_file, token_file, token_file));
    access.nkey = *key;
    access.seed_file = token_file;
    return access;
  }
  const std::string& secret = lines.front();
  const std::size_t colon = secret.find(':');
  if (colon == std::string::npos) {
    access.secret = secret;
  } else {
    access.user = secret.substr(0, colon);
    access.secret = secret.substr(colon + 1);
  }
  return access;
}

void require_a_runs(const Access& access) {
  if (access.user != "worker" && !access.user.starts_with("worker-")) return;
  throw model::Exception(
      model::ExitCode::environment,
      "this is a worker's token, which takes jobs and nothing else: --token-file with the run's, "
      "run.token of evo farm up");
}

}  // namespace evo::farm::nats
