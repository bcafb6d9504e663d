#include "evaluators/devices/virtual/element_mask.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device {

std::shared_ptr<const ElementMask> ElementMask::of(const devices::BufferView& view) {
  if (view.element_bytes == 0) return nullptr;
  std::uint64_t count = 1;
  std::uint64_t last = 0;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] <= 0) return nullptr;
    count *= static_cast<std::uint64_t>(view.shape[d]);
    last += static_cast<std::uint64_t>((view.shape[d] - 1) * view.strides[d]);
  }
  // As many elements as the span holds: none is left out. (No output overlaps itself.)
  if (count == last + 1) return nullptr;
  auto mask = std::make_shared<ElementMask>();
  mask->element_bytes_ = view.element_bytes;
  mask->elements_.assign(last + 1, false);
  std::vector<std::int64_t> position(view.shape.size(), 0);
  std::int64_t offset = 0;
  for (std::uint64_t done = 0; done < count; ++done) {
    mask->elements_[static_cast<std::size_t>(offset)] = true;
    for (std::size_t d = view.shape.size(); d-- > 0;) {
      offset += view.strides[d];
      if (++position[d] < view.shape[d]) break;
      offset -= view.strides[d] * view.shape[d];
      position[d] = 0;
    }
  }
  return mask;
}

bool ElementMask::holds(std::uint64_t first, std::uint64_t width) const {
  for (std::uint64_t at = first / element_bytes_; at <= (first + width - 1) / element_bytes_; ++at) {
    if (at >= elements_.size() || !elements_[static_cast<std::size_t>(at)]) return false;
  }
  return true;
}

}  // namespace evo::evaluators::virtual_device
