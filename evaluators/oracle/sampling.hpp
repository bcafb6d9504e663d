// What a correct kernel may be off by because the hardware filters its textures.
//
// A linear fetch mixes neighbouring texels with weights of 8 fractional bits (CUDA C++ Programming Guide,
// "Texture Fetching", "Linear Filtering": 9-bit fixed point, 8 bits of fractional value), whatever the
// kernel's arithmetic is. A weight is then off by half of 2^-8, or by all of it where the hardware truncates,
// and a fetch by as much of the difference of its neighbours, once for each dimension. To an oracle that
// gets the plain array this looks as if its texels were off by that, so it is asked for such texels: how far
// its answer moves follows what the kernel does with them.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/oracle/oracle.hpp"
#include "evaluators/oracle/row_sample.hpp"

namespace evo::evaluators::oracle {

/// Has the case a texture with a linear filter?
[[nodiscard]] bool filters_textures(const model::Case& bound);

/// Of each argument (zeros for what is no output): how far the reference moves, on the rows that it holds,
/// when texels of textures with a linear filter move by 2^-8 of their differences to their neighbours, up or
/// down as `entropy` draws (integers by one at least, where there is a difference); the larger of two such
/// draws. Nothing where the oracle has no answer to other inputs. Error: what the oracle cannot take.
[[nodiscard]] model::Expected<std::vector<OutputErrors>> measure_sampling(const Oracle& oracle,
                                                                          const model::Case& bound,
                                                                          const InputBuffers& inputs,
                                                                          const Reference& reference,
                                                                          std::uint64_t entropy);

}  // namespace evo::evaluators::oracle
