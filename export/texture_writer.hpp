// The objects through which an exported kernel sees its textures and surfaces.
#pragma once

#include <string>

#include "export/exporter.hpp"
#include "export/names.hpp"

namespace evo::exporting {

/// The type that makes the object of an argument: "Texture_image", "Surface_out".
[[nodiscard]] std::string texture_type(const std::string& argument, const model::TextureModel& texture);

/// Its definition, for each texture and surface of the problem, in the namespace of the plan; "" where there
/// is none. Error: a size that cannot be spelt.
[[nodiscard]] model::Expected<std::string> write_textures(const ExportRequest& request, const Names& names);

}  // namespace evo::exporting
