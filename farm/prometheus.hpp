// A farm's state (nats::status_of) as Prometheus reads it: text exposition format 0.0.4.
#pragma once

#include <string>

#include <boost/json/object.hpp>

namespace evo::farm {

/// What members say of themselves is taken where it is a number, and named by their plain names alone.
[[nodiscard]] std::string prometheus_text(const boost::json::object& status);

}  // namespace evo::farm
