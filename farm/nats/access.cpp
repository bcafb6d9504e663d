#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "farm/nats/connection.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace fs = std::filesystem;

std::string read_secret(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error || !fs::is_regular_file(status))
    throw model::Exception(model::ExitCode::environment, fmt::format("{}: no such token file", file));
  if ((status.permissions() & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}: others may read this token file: chmod 600 {}", file, file));
  }
  std::string line;
  std::ifstream in(file);
  if (!std::getline(in, line) || line.empty())
    throw model::Exception(model::ExitCode::environment, fmt::format("{}: no token in its first line", file));
  return line;
}

}  // namespace

Access access_of(const std::string& url, const std::string& token_file, const std::string& ca_file) {
  if (!url.starts_with("nats://") && !url.starts_with("tls://")) {
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("'{}' is no address of a farm: nats://HOST:PORT or tls://HOST:PORT", url));
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
  const std::string secret = read_secret(token_file);
  const std::size_t colon = secret.find(':');
  if (colon == std::string::npos) {
    access.secret = secret;
  } else {
    access.user = secret.substr(0, colon);
    access.secret = secret.substr(colon + 1);
  }
  return access;
}

}  // namespace evo::farm::nats
