// Stores of C fragments as halves: each of the four lanes (t = 0..3) that share a row holds, of every column
// tile of 8 halves, the word with columns 2t and 2t + 1.
#pragma once

// One word per column tile.
template <int COUNT>
__device__ __forceinline__ void store_words(unsigned short* row, const unsigned (&words)[COUNT], unsigned t,
                                            bool aligned) {
#pragma unroll
  for (int n = 0; n < COUNT; ++n) {
    unsigned short* place = row + n * 8 + t * 2;
    if (aligned) {
      *reinterpret_cast<unsigned*>(place) = words[n];
    } else {
      place[0] = static_cast<unsigned short>(words[n]);
      place[1] = static_cast<unsigned short>(words[n] >> 16);
    }
  }
}

// The four lanes first exchange words, so that each stores 16 bytes at a time (8 where there are but two
// tiles). All four come here; `exists`: whether the row is to be stored.
template <int COUNT>
__device__ __forceinline__ void store_exchanged(unsigned short* row, unsigned (&words)[COUNT], unsigned t,
                                                bool aligned, bool exists) {
  constexpr int GROUP = COUNT % 4 == 0 ? 4 : COUNT % 2 == 0 ? 2 : 1;
  if constexpr (GROUP == 1) {
    if (exists) store_words(row, words, t, aligned);
  } else if (!aligned) {
    if (exists) store_words(row, words, t, aligned);
  } else {
#pragma unroll
    for (int first = 0; first < COUNT; first += GROUP) {
      // A transposition of 4 x 4 (or 2 x 2) words, by exchanges with lane t ^ 2 and then t ^ 1.
      if constexpr (GROUP == 4) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          unsigned& low = words[first + j];
          unsigned& high = words[first + j + 2 < COUNT ? first + j + 2 : 0];
          const unsigned other = __shfl_xor_sync(0xffffffffu, t & 2 ? low : high, 2);
          (t & 2 ? low : high) = other;
        }
      }
#pragma unroll
      for (int j = 0; j < GROUP; j += 2) {
        unsigned& low = words[first + j];
        unsigned& high = words[first + j + 1 < COUNT ? first + j + 1 : 0];
        const unsigned other = __shfl_xor_sync(0xffffffffu, t & 1 ? low : high, 1);
        (t & 1 ? low : high) = other;
      }
      if (!exists) continue;
      if constexpr (GROUP == 4) {  // all of column tile t
        *reinterpret_cast<uint4*>(row + (first + t) * 8) =
            make_uint4(words[first], words[first + 1], words[first + 2], words[first + 3]);
      } else {  // half of column tile t & 1
        *reinterpret_cast<uint2*>(row + (first + (t & 1)) * 8 + (t >> 1) * 4) =
            make_uint2(words[first], words[first + 1]);
      }
    }
  }
}
