#include "report/serve.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "model/error.hpp"
#include "report/snapshot.hpp"

namespace evo::report {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds between_looks{500};
constexpr std::chrono::seconds between_signs{15};  // of life, on a stream of events
constexpr int patience_s = 20;                     // with a socket that takes or sends nothing
constexpr std::size_t most_connections = 256;
constexpr const char* header_of_version = "X-Evo-Version";  // of the data in an answer

/// Equal in a time that says nothing about where they differ.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

std::string_view query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) return pair.substr(key.size() + 1);
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

void be_patient(tcp::socket& socket) {
  const timeval time{patience_s, 0};
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

}  // namespace

std::string new_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

bool is_loopback(const std::string& host) {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

struct Server::Parts {
  explicit Parts(ServeSettings wanted)
      : settings(std::move(wanted)), snapshot(settings.runs, settings.benches), acceptor(context) {}

  ServeSettings settings;
  Snapshot snapshot;
  asio::io_context context;
  tcp::acceptor acceptor;

  struct Connection {
    explicit Connection(tcp::socket taken) : socket(std::move(taken)) {}
    tcp::socket socket;
    std::atomic<bool> done = false;
    std::jthread thread;
  };
  std::list<Connection> connections;

  [[nodiscard]] std::uint16_t port() const { return acceptor.local_endpoint().port(); }

  /// What a browser on this machine calls us. Another name in a request means that a page of that name had it
  /// resolve to this machine, and would read what it must not.
  [[nodiscard]] bool is_our_name(std::string_view host) const {
    const std::string end = fmt::format(":{}", port());
    if (host.ends_with(end)) host.remove_suffix(end.size());
    return host == "127.0.0.1" || host == "localhost" || host == "[::1]" || host == settings.host;
  }

  using Request = http::request<http::empty_body>;
  using Response = http::response<http::string_body>;

  template <class Made>
  static void set_headers(Made& made, const char* type) {
    made.set(http::field::content_type, type);
    made.set(http::field::cache_control, "no-store");
    made.set("X-Content-Type-Options", "nosniff");
    made.set("Content-Security-Policy", "frame-ancestors 'none'");
    made.set("Referrer-Policy", "no-referrer");
    made.keep_alive(false);
  }

  static Response response(const Request& request, http::status status, const char* type, std::string body) {
    Response made{status, request.version()};
    set_headers(made, type);
    if (request.method() != http::verb::head) made.body() = std::move(body);
    made.prepare_payload();
    return made;
  }

  /// Of a body that outlives it.
  static http::response<http::span_body<const char>> shared_response(const Request& request, const char* type,
                                                                     const std::string& body) {
    http::response<http::span_body<const char>> made{http::status::ok, request.version()};
    set_headers(made, type);
    if (request.method() != http::verb::head) made.body() = {body.data(), body.size()};
    made.prepare_payload();
    return made;
  }

  void answer(tcp::socket& socket) {
    boost::beast::flat_buffer buffer;
    http::request_parser<http::empty_body> parser;
    parser.header_limit(16 * 1024);
    error_code error;
    http::read(socket, buffer, parser, error);
    if (error) return;
    const Request& request = parser.get();
    const auto say = [&](http::status status, const char* type, std::string body) {
      http::write(socket, response(request, status, type, std::move(body)), error);
    };
    const std::string_view target(request.target().data(), request.target().size());
    const std::string_view path = target.substr(0, target.find('?'));
    const std::string_view query =
        path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view();
    const auto host = request[http::field::host];
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return say(http::status::method_not_allowed, "text/plain", "this only shows\n");
    if (settings.token.empty() ? !is_our_name({host.data(), host.size()})
                               : !same_secret(query_value(query, "token"), settings.token))
      return say(http::status::forbidden, "text/plain", "not without the token that evo serve printed\n");
    const Snapshot::Data data = snapshot.now();
    // Not copied: a large run's page goes out to many at once.
    const auto show = [&](const char* type, const std::string& body,
                          std::optional<std::uint64_t> version = {}) {
      auto made = shared_response(request, type, body);
      if (version) made.set(header_of_version, std::to_string(*version));
      http::write(socket, made, error);
    };
    if (path == "/") return show("text/html; charset=utf-8", *data.page);
    if (path == "/data.json") return show("application/json", *data.json, data.version);
    if (path == "/changes.json") {
      std::uint64_t known = 0;
      const std::string_view since = query_value(query, "since");
      if (std::from_chars(since.data(), since.data() + since.size(), known).ec != std::errc())
        return say(http::status::bad_request, "text/plain", "since=VERSION is missing\n");
      return show("application/json", data.since(known), data.version);
    }
    if (path == "/events" && request.method() == http::verb::get) return stream(socket);
    say(http::status::not_found, "text/plain", "there is no such page\n");
  }

  /// One event for each version, until the reader goes.
  void stream(tcp::socket& socket) {
    error_code error;
    const auto send = [&](const std::string& text) { asio::write(socket, asio::buffer(text), error); };
    std::uint64_t known = snapshot.now().version;
    send(
        fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 2000\ndata: {}\n\n",
                    known));
    while (!error && !snapshot.closed()) {
      const std::uint64_t version = snapshot.wait(known, between_signs).version;
      send(version == known ? std::string(": still here\n\n") : fmt::format("data: {}\n\n", version));
      known = version;
    }
  }

  void accept_one() {
    error_code error;
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    if (error) return;
    connections.remove_if([](const Connection& one) { return one.done.load(); });
    if (connections.size() >= most_connections) return;
    be_patient(socket);
    Connection& connection = connections.emplace_back(std::move(socket));
    connection.thread = std::jthread([this, &connection] {
      try {
        answer(connection.socket);
      } catch (const std::exception&) {
        // One reader's trouble is no other's.
      }
      error_code ignored;
      connection.socket.shutdown(tcp::socket::shutdown_both, ignored);
      connection.done = true;
    });
  }
};

Server::Server(ServeSettings settings) {
  error_code error;
  const auto address = asio::ip::make_address(settings.host, error);
  if (error) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("'{}' is no address to listen on, such as 127.0.0.1", settings.host));
  }
  if (settings.token.empty() && !address.is_loopback())
    throw model::Exception(model::ExitCode::usage, "an address of the network needs a token");
  parts_ = std::make_unique<Parts>(std::move(settings));
  const tcp::endpoint endpoint(address, parts_->settings.port);
  tcp::acceptor& acceptor = parts_->acceptor;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}:{} cannot be listened on: {}; --port 0 takes any that is free",
                                       parts_->settings.host, parts_->settings.port, error.message()));
  }
}

Server::~Server() = default;

std::string Server::address() const {
  const ServeSettings& settings = parts_->settings;
  const bool v6 = settings.host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}/{}", v6 ? "[" + settings.host + "]" : settings.host, parts_->port(),
                     settings.token.empty() ? "" : "?token=" + settings.token);
}

void Server::run(const std::stop_token& stop) {
  Parts& parts = *parts_;
  const std::jthread watcher([&parts](const std::stop_token& end) {
    // The first look reads the whole of a large run, the next ones what is new.
    for (bool first = true; !end.stop_requested() && !parts.snapshot.closed(); first = false) {
      // Half of the time at most: the page of a large run takes a while even so.
      const auto took = parts.snapshot.refresh();
      const auto until =
          std::chrono::steady_clock::now() + (first ? between_looks : std::max(between_looks, took));
      while (!parts.snapshot.closed() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  while (!stop.stop_requested()) {
    pollfd ready{parts.acceptor.native_handle(), POLLIN, 0};
    if (::poll(&ready, 1, 200) > 0) parts.accept_one();
  }
  parts.snapshot.close();
  for (Parts::Connection& connection : parts.connections)
    ::shutdown(connection.socket.native_handle(), SHUT_RDWR);
  parts.connections.clear();
}

}  // namespace evo::report
