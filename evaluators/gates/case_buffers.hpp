// The buffers and scalar arguments of one case on a device, in the kernel's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/gates/evidence.hpp"
#include "evaluators/gates/placement.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::gates {

/// Instead of a placement: every base address at a 256-byte boundary, as allocators give them out. What is
/// timed and compared with others stands like that.
inline constexpr std::nullopt_t as_allocated = std::nullopt;

/// Bytes of a scalar argument as the kernel takes it.
[[nodiscard]] std::vector<std::byte> scalar_bytes(const model::BoundArgument& argument);

/// The buffer of an array argument, so many bytes past a 256-byte boundary, with its parts if it is a far
/// view.
[[nodiscard]] devices::BufferSpec buffer_spec(const model::BoundArgument& argument, std::uint32_t misaligned);

/// That buffer as the kernel takes it: a pointer, or a texture or surface object.
[[nodiscard]] devices::BufferArgument buffer_argument(const model::BoundArgument& argument,
                                                      devices::BufferId buffer);

/// How many sets of a case's buffers fit into 1 GiB, from 1 to `most`.
[[nodiscard]] std::size_t sets_that_fit(const model::Case& bound, std::size_t most);
/// How many sets of a case are copied in one turn, 1 to 8: handing turns over costs more than a small copy,
/// and what is copied waits in the host's memory, 32 MiB at most if a set has less.
[[nodiscard]] std::size_t sets_a_turn(const model::Case& bound);

/// Inputs where `device` copies them from fastest; an empty entry for every other argument. Takes no turn.
[[nodiscard]] std::vector<devices::HostBytes> staged(devices::Device& device,
                                                     const oracle::InputBuffers& inputs);

enum class Guards : std::uint8_t { check, skip };

/// Owns the device's buffers of one case; released by the destructor. Not thread-safe, like the device.
class CaseBuffers {
 public:
  /// `placement` has an entry for each argument; or as_allocated. `backwards`: the last argument gets its
  /// buffer first, so that a kernel that asks whose address is lower gets another answer.
  [[nodiscard]] static Outcome<CaseBuffers> create(devices::Device& device, const model::Case& bound,
                                                   const std::optional<Placement>& placement,
                                                   bool backwards = false);
  ~CaseBuffers();
  CaseBuffers(CaseBuffers&& other) noexcept;
  CaseBuffers& operator=(CaseBuffers&&) = delete;

  [[nodiscard]] std::span<const devices::KernelArgument> arguments() const { return arguments_; }

  /// Inputs, and what inouts hold before every launch from now on.
  [[nodiscard]] Outcome<void> write_inputs(const oracle::InputBuffers& inputs);
  /// Of staged(): no turn is spent on the host's part of the copy.
  [[nodiscard]] Outcome<void> write_inputs(std::span<const devices::HostBytes> inputs);
  /// Fills outputs and workspaces that are not zeroed with patterns derived from `draw`; see
  /// oracle::poison_pattern.
  [[nodiscard]] Outcome<void> poison(std::uint32_t draw, bool finite);
  /// Fills what poison() filled with patterns of which no byte is what it was: a byte that keeps either was
  /// not written, however small an element is.
  [[nodiscard]] Outcome<void> poison_inverted();

  /// Whole contents of argument `index`.
  [[nodiscard]] Outcome<devices::HostBytes> read(std::size_t index) const;
  /// Whole contents of the outputs, in the arguments' order. `known`: of each of them
  /// devices::BufferPiece::unchanged, or nothing at all; such entries may come back empty.
  [[nodiscard]] Outcome<std::vector<devices::HostBytes>> read_outputs(
      std::span<const std::optional<std::uint64_t>> known = {}) const;
  /// Whole contents of all inputs and outputs, an empty entry for every other argument; with Guards::check
  /// also what the guard zones of all buffers on the device held then. `unchanged`: of each argument that is
  /// input alone devices::BufferPiece::unchanged, or nothing at all; such entries may come back empty.
  [[nodiscard]] Outcome<devices::Contents> read_all(
      Guards guards, std::span<const std::optional<std::uint64_t>> unchanged = {}) const;
  /// What read_all() asks of the device, for those who ask of several sets at once; by_argument() makes of
  /// what came back, an entry for each piece, what read_all() gives.
  [[nodiscard]] std::vector<devices::BufferPiece> pieces(
      std::span<const std::optional<std::uint64_t>> unchanged) const;
  [[nodiscard]] std::vector<devices::HostBytes> by_argument(std::vector<devices::HostBytes> read) const;
  /// Of each output, which bytes have been written since poison(); empty where the device does not know.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> written_outputs() const;
  /// The pattern that each argument was last filled with; 0 for those that are zeroed or never filled.
  [[nodiscard]] const std::vector<std::uint32_t>& patterns() const { return patterns_; }

 private:
  CaseBuffers(devices::Device& device, const model::Case& bound) : device_(&device), case_(&bound) {}

  devices::Device* device_;
  const model::Case* case_;  ///< the caller keeps it
  std::vector<std::optional<devices::BufferId>> buffers_;
  std::vector<devices::KernelArgument> arguments_;
  std::vector<std::uint32_t> patterns_;
};

}  // namespace evo::evaluators::gates
