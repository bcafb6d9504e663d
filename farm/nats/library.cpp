#include "farm/nats/library.hpp"

#include <dlfcn.h>

#include <initializer_list>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

void* open_library() {
  for (const char* name : {"libnats.so.3.4", "libnats.so.3.10", "libnats.so.3.7", "libnats.so"}) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return handle;
  }
  throw model::Exception(
      model::ExitCode::environment,
      "a farm needs the NATS client library, libnats.so.3, which is not there. On Debian and "
      "Ubuntu: apt-get install libnats3.4 (or another libnats3)");
}

template <class Function>
void find(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
  if (function == nullptr) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("the NATS client library has no {}: evo needs libnats 3.4 or newer", name));
  }
}

Library functions_of(void* handle) {
  Library nats{};
  find(handle, "natsOptions_Create", nats.options_create);
  find(handle, "natsOptions_Destroy", nats.options_destroy);
  find(handle, "natsOptions_SetURL", nats.set_url);
  find(handle, "natsOptions_SetName", nats.set_name);
  find(handle, "natsOptions_SetTimeout", nats.set_timeout);
  find(handle, "natsOptions_SetMaxReconnect", nats.set_max_reconnect);
  find(handle, "natsOptions_SetReconnectWait", nats.set_reconnect_wait);
  find(handle, "natsOptions_SetUserInfo", nats.set_user);
  find(handle, "natsOptions_SetToken", nats.set_token);
  find(handle, "natsOptions_SetNKey", nats.set_nkey);
  find(handle, "nats_Sign", nats.sign);
  find(handle, "natsOptions_SetSecure", nats.set_secure);
  find(handle, "natsOptions_LoadCATrustedCertificates", nats.load_ca);
  find(handle, "natsOptions_SetCustomInboxPrefix", nats.set_inbox_prefix);
  find(handle, "natsConnection_Connect", nats.connect);
  find(handle, "natsConnection_Destroy", nats.disconnect);
  find(handle, "natsConnection_GetMaxPayload", nats.max_payload);
  find(handle, "natsConnection_Publish", nats.publish);
  find(handle, "natsConnection_PublishRequest", nats.publish_request);
  find(handle, "natsConnection_SubscribeSync", nats.subscribe);
  find(handle, "natsSubscription_SetPendingLimits", nats.limit_pending);
  find(handle, "natsSubscription_NextMsg", nats.next);
  find(handle, "natsSubscription_Destroy", nats.unsubscribe);
  find(handle, "natsConnection_FlushTimeout", nats.flush);
  find(handle, "natsConnection_RequestMsg", nats.request);
  find(handle, "natsMsg_Create", nats.msg_create);
  find(handle, "natsMsg_Destroy", nats.msg_destroy);
  find(handle, "natsMsg_GetData", nats.msg_data);
  find(handle, "natsMsg_GetDataLength", nats.msg_length);
  find(handle, "natsMsg_GetSubject", nats.msg_subject);
  find(handle, "natsMsg_GetReply", nats.msg_reply);
  find(handle, "natsMsgHeader_Set", nats.header_set);
  find(handle, "natsMsgHeader_Get", nats.header_get);
  find(handle, "natsStatus_GetText", nats.status_text);
  find(handle, "nats_GetLastError", nats.last_error);
  return nats;
}

/// Two threads whose first use of the library comes at the same time: it tells the second one that it is in
/// an illegal state, and may crash when it is asked why. So it is made ready before anybody uses it.
Library ready_library() {
  void* const handle = open_library();
  Status (*open)(std::int64_t spins) = nullptr;
  find(handle, "nats_Open", open);
  const Library nats = functions_of(handle);
  if (const Status status = open(-1); status != status_ok) {
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("the NATS client library does not start: {}", nats.status_text(status)));
  }
  return nats;
}

}  // namespace

const Library& load_library() {
  static const Library nats = ready_library();
  return nats;
}

}  // namespace evo::farm::nats
