// The functions of libnats 3 that are used here, looked up at run time: evo is built and started without it
// where no farm is used. Their declarations are those of nats.h.
#pragma once

#include <cstdint>

extern "C" {
struct __natsOptions;
struct __natsConnection;
struct __natsMsg;
struct __natsSubscription;
}

namespace evo::farm::nats {

using Options = ::__natsOptions;
using Handle = ::__natsConnection;
using Msg = ::__natsMsg;
using Subscribed = ::__natsSubscription;

/// natsStatus: those that are told apart here.
enum Status : int {
  status_ok = 0,
  status_error = 1,
  status_connection_closed = 5,
  status_no_server = 6,
  status_tls_wanted = 8,
  status_tls_required = 9,
  status_auth_failed = 11,
  status_not_permitted = 12,
  status_timeout = 26,
  status_tls_error = 29,
  status_no_responders = 34,
};

/// natsSignatureHandler: why not (malloc), signature (malloc), its bytes, the server's word, closure.
using SignatureHandler = Status (*)(char**, unsigned char**, int*, const char*, void*);

struct Library {
  Status (*options_create)(Options**);
  void (*options_destroy)(Options*);
  Status (*set_url)(Options*, const char*);
  Status (*set_name)(Options*, const char*);
  Status (*set_timeout)(Options*, std::int64_t);
  Status (*set_max_reconnect)(Options*, int);
  Status (*set_reconnect_wait)(Options*, std::int64_t);
  Status (*set_user)(Options*, const char*, const char*);
  Status (*set_token)(Options*, const char*);
  /// Public key, and who signs the server's words with its seed.
  Status (*set_nkey)(Options*, const char*, SignatureHandler, void*);
  /// Seed, text, signature (malloc) and its bytes.
  Status (*sign)(const char*, const char*, unsigned char**, int*);
  Status (*set_secure)(Options*, bool);
  Status (*load_ca)(Options*, const char*);
  Status (*set_inbox_prefix)(Options*, const char*);
  Status (*connect)(Handle**, Options*);
  void (*disconnect)(Handle*);
  std::int64_t (*max_payload)(Handle*);
  Status (*publish)(Handle*, const char*, const void*, int);
  Status (*publish_request)(Handle*, const char*, const char*, const void*, int);
  Status (*subscribe)(Subscribed**, Handle*, const char*);
  Status (*limit_pending)(Subscribed*, int, int);
  Status (*next)(Msg**, Subscribed*, std::int64_t);
  void (*unsubscribe)(Subscribed*);
  Status (*flush)(Handle*, std::int64_t);
  Status (*request)(Msg**, Handle*, Msg*, std::int64_t);
  Status (*msg_create)(Msg**, const char*, const char*, const char*, int);
  void (*msg_destroy)(Msg*);
  const char* (*msg_data)(const Msg*);
  int (*msg_length)(const Msg*);
  const char* (*msg_subject)(const Msg*);
  const char* (*msg_reply)(const Msg*);
  Status (*header_set)(Msg*, const char*, const char*);
  Status (*header_get)(Msg*, const char*, const char**);
  const char* (*status_text)(Status);
  /// What the calling thread was last refused, and why; may be null.
  const char* (*last_error)(Status*);
};

/// Loads libnats.so.3.4, or another 3.x, once and for good: it starts threads. Throws
/// model::Exception(environment) with what to install where it is not there. Thread-safe.
[[nodiscard]] const Library& load_library();

}  // namespace evo::farm::nats
