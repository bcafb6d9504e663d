// Names the instruction set that a file is compiled for. The inline functions of this folder are compiled
// once for any x86-64 and once for AVX2 with FMA; the namespace keeps the linker from taking one for the
// other.
#pragma once

#ifdef __AVX2__
#define EVO_ISA avx2
#else
#define EVO_ISA portable
#endif
