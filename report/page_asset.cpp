#include "report/page_asset.hpp"

// The assembler reads the file: an array of 300,000 numbers would cost more to compile than all of this
// folder.
asm(".pushsection .rodata\n"
    ".global evo_report_page_begin\n"
    ".global evo_report_page_end\n"
    "evo_report_page_begin:\n"
    ".incbin \"" EVO_PAGE_FILE
    "\"\n"
    "evo_report_page_end:\n"
    ".popsection\n");

extern "C" {
extern const char evo_report_page_begin[];
extern const char evo_report_page_end[];
}

namespace evo::report {

std::string_view page_asset() {
  return {evo_report_page_begin, static_cast<std::size_t>(evo_report_page_end - evo_report_page_begin)};
}

}  // namespace evo::report
