// Which bytes of a strided output belong to elements: one bit an element of the span.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evaluators/devices/device.hpp"

namespace evo::evaluators::virtual_device {

class ElementMask {
 public:
  /// Null where the view has no gaps: there is nothing to look up then.
  [[nodiscard]] static std::shared_ptr<const ElementMask> of(const devices::BufferView& view);

  /// Do all bytes of [first, first + width), counted from the view's first byte, belong to elements?
  [[nodiscard]] bool holds(std::uint64_t first, std::uint64_t width) const;

 private:
  std::uint32_t element_bytes_ = 1;
  std::vector<bool> elements_;
};

}  // namespace evo::evaluators::virtual_device
