// Roles, element types, shapes and values of a kernel's parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/ptx_use.hpp"
#include "intake/signature.hpp"
#include "intake/texture_use.hpp"
#include "intake/types.hpp"

namespace evo::intake {

/// A parameter of the kernel with everything that is known of it.
struct KnownParameter {
  Parameter text;
  ElementType type;
  PointerUse kernel;                    ///< what the kernel does with it
  std::optional<PointerUse> reference;  ///< what the reference does
  bool reference_takes = true;          ///< it reads the parameter, or there is none
  bool kernel_takes = true;             ///< the code reads it
  bool meets_data = false;  ///< it is compared or combined with data alone, and says no size (data_use.hpp)
  bool one_of_many =
      false;          ///< of an array of numbers in a struct, more than there are sides: a key, a state
  ArgumentFlag flag;  ///< what the user said; empty name: nothing
  ObjectKind object = ObjectKind::none;  ///< a texture or surface, and what the kernel does with it
  TextureUse texture{};
  std::string elements{};  ///< what is known of elements that problem.yaml has no type for
  std::string host{};      ///< the whole file, for what its host code says
};

/// The question of an array whose shape is not known, in its `todo`.
inline constexpr const char* which_axes = "which axes is it as large as?";

/// Sizes among the scalars: the axes of a problem whose axes nobody named.
[[nodiscard]] std::vector<DraftAxis> axes_of(const std::vector<KnownParameter>& parameters);

/// --arg 'mask: 0' of a pointer: the kernel gets none.
[[nodiscard]] bool is_told_null(const KnownParameter& p);

/// The argument; `todo` says what is not known, as a flag that would say it.
[[nodiscard]] DraftArgument infer_argument(const KnownParameter& parameter,
                                           const std::vector<DraftAxis>& axes, std::size_t index);

}  // namespace evo::intake
