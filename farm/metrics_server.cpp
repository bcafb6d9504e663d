#include "farm/metrics_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "model/error.hpp"

namespace evo::farm {
namespace {

namespace beast_http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr int look_ms = 200;
constexpr int asker_patience_s = 5;

void answer_one(tcp::socket& socket, const std::function<std::string()>& text) {
  const timeval time{asker_patience_s, 0};
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  boost::system::error_code error;
  boost::beast::flat_buffer buffer;
  beast_http::request_parser<beast_http::empty_body> parser;
  parser.header_limit(16 * 1024);
  beast_http::read(socket, buffer, parser, error);
  if (error) return;
  beast_http::response<beast_http::string_body> made{beast_http::status::ok, parser.get().version()};
  made.set(beast_http::field::content_type, "text/plain; version=0.0.4");
  made.keep_alive(false);
  if (parser.get().method() != beast_http::verb::get) {
    made.result(beast_http::status::method_not_allowed);
  } else if (parser.get().target() != "/metrics") {
    made.result(beast_http::status::not_found);
    made.body() = "/metrics is here\n";
  } else {
    try {
      made.body() = text();
    } catch (const std::exception& why) {
      made.result(beast_http::status::service_unavailable);
      made.body() = std::string(why.what()) + "\n";
    }
  }
  made.prepare_payload();
  beast_http::write(socket, made, error);
}

}  // namespace

struct MetricsServer::Parts {
  explicit Parts(std::function<std::string()> its_text) : text(std::move(its_text)), acceptor(context) {}
  std::function<std::string()> text;
  boost::asio::io_context context;
  tcp::acceptor acceptor;
};

MetricsServer::MetricsServer(const std::string& host, std::uint16_t port, std::function<std::string()> text)
    : parts_(std::make_unique<Parts>(std::move(text))) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  if (error)
    throw model::Exception(model::ExitCode::usage, fmt::format("'{}' is no address to listen on", host));
  const tcp::endpoint endpoint(address, port);
  parts_->acceptor.open(endpoint.protocol(), error);
  if (!error) parts_->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) parts_->acceptor.bind(endpoint, error);
  if (!error) parts_->acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("cannot listen on {} port {}: {}", host, port, error.message()));
  }
}

MetricsServer::~MetricsServer() = default;

std::string MetricsServer::address() const {
  const tcp::endpoint at = parts_->acceptor.local_endpoint();
  const std::string host = at.address().to_string();
  return fmt::format("http://{}:{}/metrics", at.address().is_v6() ? "[" + host + "]" : host, at.port());
}

void MetricsServer::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting{parts_->acceptor.native_handle(), POLLIN, 0};
    if (::poll(&waiting, 1, look_ms) <= 0) continue;
    boost::system::error_code error;
    tcp::socket socket(parts_->context);
    parts_->acceptor.accept(socket, error);
    if (!error) answer_one(socket, parts_->text);
  }
}

}  // namespace evo::farm
