#include "intake/struct_fields.hpp"

#include <algorithm>

#include "intake/types.hpp"

namespace evo::intake {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The member's path as a name: "centre.x" is centre_x.
std::string name_of(const std::string& path) {
  std::string name;
  for (const char c : path.substr(0, path.find('['))) name += c == '.' ? '_' : c;
  return name;
}

std::int64_t element_bytes(const DraftField& field, bool wide) {
  return wide && ElementType{field.dtype}.floating() ? 8 : bytes_of(field.dtype);
}

}  // namespace

std::vector<std::int64_t> field_offsets(const std::vector<DraftField>& fields, bool wide) {
  std::vector<std::int64_t> offsets;
  std::int64_t end = 0, most = 1;
  for (const DraftField& field : fields) {
    const std::int64_t element = element_bytes(field, wide);
    const std::int64_t alignment = std::max<std::int64_t>(element, field.alignment);
    offsets.push_back(rounded_up(end, alignment));
    end = offsets.back() + element * field.lanes;
    most = std::max(most, alignment);
  }
  offsets.push_back(rounded_up(end, most));
  return offsets;
}

std::vector<DraftField> fields_of(const StructLayout& layout, const std::set<std::string>& alone) {
  if (!layout.objection.empty()) return {};
  bool apart = false;  // from what the last field has
  std::vector<DraftField> fields;
  std::vector<std::int64_t> places;
  std::int64_t end = 0;
  for (const StructMember& member : layout.members) {
    const ElementType type = element_type(member.type);
    if (type.pointer || type.dtype.empty() || member.path.empty()) return {};
    const std::int64_t element = bytes_of(type.dtype);
    const bool own = alone.contains(name_of(member.path));
    const bool joins = !apart && !own;
    apart = own;
    if (joins && !fields.empty() && fields.back().dtype == type.dtype && member.offset == end) {
      fields.back().lanes += static_cast<int>(member.count);
    } else {
      DraftField field{name_of(member.path), type.dtype, static_cast<int>(member.count)};
      // A vector may begin further on than its elements would.
      if (rounded_up(end, element) != member.offset) {
        for (int align = static_cast<int>(element); align <= 16 && field.alignment == 0; align *= 2)
          if (rounded_up(end, align) == member.offset) field.alignment = align;
      }
      fields.push_back(std::move(field));
      places.push_back(member.offset);
    }
    end = member.offset + element * member.count;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    // Of arrays of structs in a struct: "nb[0].w" and "nb[1].w".
    if (std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const DraftField& before) { return before.name == fields[i].name; }))
      return {};
  }
  if (fields.empty()) return {};
  if (field_offsets(fields, false).back() != layout.bytes && layout.alignment <= 16)
    fields.front().alignment = static_cast<int>(layout.alignment);
  places.push_back(layout.bytes);
  return field_offsets(fields, false) == places ? fields : std::vector<DraftField>();
}

}  // namespace evo::intake
