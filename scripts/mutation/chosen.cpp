// Linked into what scripts/mutate-checks builds: which mutant runs, and which of the functions that have mutants are
// reached.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace {
constexpr std::size_t kPlaces = 1 << 16;
unsigned char own_places[kPlaces];  // where nobody asks
}  // namespace

extern "C" {
int evo_mutant_chosen = 0;
unsigned char* evo_mutant_reached = own_places;
}

// Before anything else of the program: its statics may call functions that have mutants. A file holds what is reached,
// since a test may start programs: what they reach is reached by it.
__attribute__((constructor(101))) static void begin() {
  if (const char* chosen = std::getenv("EVO_MUTANT")) evo_mutant_chosen = std::atoi(chosen);
  const char* path = std::getenv("EVO_MUTANT_REACHED");
  const int file = path != nullptr ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* shared = mmap(nullptr, kPlaces, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) evo_mutant_reached = static_cast<unsigned char*>(shared);
  close(file);
}
