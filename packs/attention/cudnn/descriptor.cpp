#include "packs/attention/cudnn/descriptor.hpp"

#include <fmt/format.h>

namespace evo::packs::attention::cudnn {

Descriptor::Descriptor(ApiPointer api, Kind kind, std::string name)
    : api_(std::move(api)), name_(std::move(name)) {
  note(api_->create_descriptor(kind, &raw_),
       fmt::format("creating {} (descriptor type {})", name_, static_cast<int>(kind)));
}

Descriptor::~Descriptor() {
  if (raw_ != nullptr) api_->destroy_descriptor(raw_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : api_(other.api_),
      raw_(std::exchange(other.raw_, nullptr)),
      name_(std::move(other.name_)),
      error_(std::move(other.error_)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(raw_, other.raw_);
  std::swap(name_, other.name_);
  std::swap(error_, other.error_);
  return *this;
}

void Descriptor::note(Status status, const std::string& action) {
  if (status != 0 && error_.empty()) error_ = describe(*api_, status, action);
}

Descriptor& Descriptor::set_raw(Attribute attribute, Type type, std::int64_t count, const void* values) {
  if (!error_.empty()) return *this;
  note(api_->set_attribute(raw_, attribute, type, count, values),
       fmt::format("setting attribute {} of {}", static_cast<int>(attribute), name_));
  return *this;
}

Descriptor& Descriptor::finalize() {
  if (error_.empty()) note(api_->finalize(raw_), "finalizing " + name_);
  return *this;
}

Attempt<std::int64_t> Descriptor::get(Attribute attribute, Type type, std::int64_t count,
                                      void* values) const {
  if (!error_.empty()) return tl::make_unexpected(error_);
  std::int64_t found = 0;
  const Status status = api_->get_attribute(raw_, attribute, type, count, &found, values);
  if (status != 0) {
    return tl::make_unexpected(describe(
        *api_, status, fmt::format("reading attribute {} of {}", static_cast<int>(attribute), name_)));
  }
  return found;
}

}  // namespace evo::packs::attention::cudnn
