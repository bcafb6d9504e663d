#include "config/problem_parts.hpp"

#include "config/argument_contents.hpp"
#include "config/argument_items.hpp"
#include "config/axis_values.hpp"
#include "config/reduction_loader.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/gene_loader.hpp"
#include "config/keys.hpp"
#include "config/launches_loader.hpp"
#include "config/nearest.hpp"
#include "config/scalar_value.hpp"
#include "config/template_source.hpp"
#include "config/tensor_map_loader.hpp"
#include "config/texture_loader.hpp"
#include "model/edits.hpp"
#include "model/records.hpp"

namespace evo::config {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

std::vector<model::Expression> expressions(const Reader& reader) {
  std::vector<model::Expression> result;
  for (const Reader& item : reader.items()) result.push_back(item.expression());
  return result;
}

/// Row-major strides of `shape`: the product of the later sizes, as expressions.
std::vector<model::Expression> row_major(const std::vector<model::Expression>& shape, const Reader& where) {
  std::vector<model::Expression> strides(shape.size());
  std::string product = "1";
  for (std::size_t i = shape.size(); i-- > 0;) {
    auto stride = model::Expression::parse(product, where.file(), where.line(), 0);
    if (!stride) throw Invalid{stride.error()};
    strides[i] = *stride;
    product = fmt::format("({}) * ({})", shape[i].text(), product);
  }
  return strides;
}

/// Makes every weakened barrier illegal.
void require_full_strength(const Reader& where, const std::vector<model::Gene>& genes,
                           std::vector<model::Constraint>& constraints) {
  for (const model::Gene& gene : genes) {
    if (gene.role != model::GeneRole::sync) continue;
    const model::Value& strongest = gene.values.back();
    const std::string quote = gene.symbolic() ? "'" : "";
    auto condition = model::Expression::parse(
        fmt::format("{} == {}{}{}", gene.name, quote, model::to_string(strongest), quote), where.file(),
        where.line(), where.column());
    if (!condition) throw Invalid{condition.error()};
    constraints.push_back(
        {std::move(*condition),
         fmt::format("races of this template cannot be checked (sync_checkable: false), so {} stays at {}",
                     gene.name, model::to_string(strongest))});
  }
}

}  // namespace

std::vector<model::Axis> read_axes(const Reader& reader) {
  std::vector<model::Axis> axes;
  for (const std::string& name : reader.keys()) {
    const Reader entry = reader.at(name);
    entry.expect_keys(key_names(axis_keys()));
    model::Axis axis;
    axis.name = name;
    if (const auto v = entry.find("compile_time")) axis.compile_time = v->boolean();
    if (const auto v = entry.find("min")) axis.minimum = v->integer(lowest, highest);
    if (const auto v = entry.find("max")) axis.maximum = v->integer(lowest, highest);
    if (const auto v = entry.find("alone")) {
      axis.alone = v->integer(lowest, highest);
      if (!axis.maximum || *axis.alone <= *axis.maximum)
        v->fail(fmt::format("axis {}: alone is for sizes above max", name));
    }
    if (const auto v = entry.find("multiple_of")) axis.multiple_of = v->integer(1, highest);
    if (const auto v = entry.find("initial")) axis.initial = v->integer(lowest, highest);
    if (const auto v = entry.find("description")) axis.description = v->text();
    if (const auto v = entry.find("allowed")) {
      for (const Reader& item : v->items()) axis.allowed.push_back(item.integer(lowest, highest));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

model::Argument read_argument(const Reader& reader) {
  reader.expect_keys(key_names(argument_keys()));
  model::Argument argument;
  argument.name = reader.at("name").text();
  const std::vector<std::string> roles{"input", "output", "scalar", "workspace", "inout"};
  const std::string role = reader.at("role").choice(roles, "role");
  argument.role =
      static_cast<model::ArgumentRole>(std::find(roles.begin(), roles.end(), role) - roles.begin());
  const Reader dtype = reader.at("dtype");
  const auto parsed = model::dtype_from_name(dtype.text());
  if (!parsed) {
    const auto names = model::dtype_names();
    dtype.fail(fmt::format("unknown dtype '{}'{}", dtype.text(),
                           suggestion(dtype.text(), {names.begin(), names.end()})));
  }
  argument.dtype = *parsed;
  const bool scalar = argument.role == model::ArgumentRole::scalar;
  for (const char* other : {"shape", "strides", "zeroed", "reduce"}) {
    if (const auto found = reader.find(other); found && scalar)
      found->fail(fmt::format("a scalar has no {}; it has a value", other));
  }
  if (const auto value = reader.find("value"); value && !scalar)
    value->fail("only a scalar has a value; the contents of an array are its fill");
  read_contents_keys(reader, argument);
  if (argument.role == model::ArgumentRole::scalar) {
    refuse_texture(reader, "a scalar is no array");
    argument.scalar = read_scalar(reader.at("value"));
    read_symbol(reader, argument);
    const bool floating = argument.dtype == model::DType::f32 || argument.dtype == model::DType::f64;
    if (argument.scalar.form == model::ScalarValue::Form::inverse_sqrt && !floating) {
      reader.at("value").fail("inverse_sqrt needs dtype f32 or f64");
    }
    if ((argument.scalar.form == model::ScalarValue::Form::quotient ||
         argument.scalar.form == model::ScalarValue::Form::real) &&
        !floating)
      reader.at("value").fail("a number by an expression needs dtype f32 or f64");
    if (argument.scalar.form == model::ScalarValue::Form::number && !floating) {
      reader.at("value").fail(fmt::format("{} needs dtype f32 or f64; this scalar is {}",
                                          reader.at("value").text(), dtype.text()));
    }
    return argument;
  }
  if (const auto align = reader.find("align")) {
    argument.alignment = align->integer(1, 128);
    if ((argument.alignment & (argument.alignment - 1)) != 0)
      align->fail("addresses are multiples of a power of two, in bytes: 1, 2, 4, 8, 16, 32, 64 or 128");
  }
  if (const auto zeroed = reader.find("zeroed")) {
    argument.zeroed = zeroed->boolean();
    if (argument.zeroed && argument.role != model::ArgumentRole::workspace)
      zeroed->fail(
          argument.role == model::ArgumentRole::input
              ? "only a workspace is zeroed: inputs are given"
              : fmt::format("only a workspace is zeroed: an output that holds zeros before each launch "
                            "has before: zero (evo tune: --arg '{}: {{before: zero}}')",
                            argument.name));
  }
  argument.shape = expressions(reader.at("shape"));
  read_reduction(reader, argument);
  read_texture(reader, argument);
  const auto strides = reader.find("strides");
  if (strides && !model::record_of(argument.name).empty())
    strides->fail("a member of an array of structs has the strides that the structs give it");
  argument.strides = strides ? expressions(*strides) : row_major(argument.shape, reader);
  if (argument.strides.size() != argument.shape.size()) {
    strides->fail(
        fmt::format("{} strides for {} dimensions", argument.strides.size(), argument.shape.size()));
  }
  read_symbol(reader, argument);
  return argument;
}

void resolve_strides(const Reader& reader, std::vector<model::Argument>& arguments) {
  std::vector<std::string> arrays;
  for (const model::Argument& argument : arguments) {
    if (argument.role != model::ArgumentRole::scalar) arrays.push_back(argument.name);
  }
  const std::vector<Reader> entries = argument_items(reader);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    model::ScalarValue& scalar = arguments[i].scalar;
    for (const std::string& name : scalar.stride_of) {
      const Reader where = entries[i].at("value");
      const auto array = std::find_if(arguments.begin(), arguments.end(), [&](const model::Argument& other) {
        return other.name == name && other.role != model::ArgumentRole::scalar;
      });
      if (array != arguments.end() && array->reduce != model::Reduction::none)
        where.fail(fmt::format("{} is reduced (reduce), so that its strides are those of its shape", name));
      if (array == arguments.end())
        where.fail(fmt::format("there is no array '{}'{}", name, suggestion(name, arrays)));
      if (!model::record_of(name).empty())
        where.fail(fmt::format("{} is a member of an array of structs: their size is its stride", name));
      if (scalar.dimension >= array->strides.size()) {
        where.fail(fmt::format("{} has the dimensions 0 to {}, not {}", name, array->strides.size() - 1,
                               scalar.dimension));
      }
      const model::Expression& stride = array->strides[scalar.dimension];
      if (name != scalar.stride_of.front() && stride.text() != scalar.expression.text()) {
        where.fail(fmt::format(
            "dimension {} of {} has the stride {}, that of {} has {}: one scalar cannot tell both",
            scalar.dimension, scalar.stride_of.front(), scalar.expression.text(), name, stride.text()));
      }
      scalar.expression = stride;
    }
  }
}

model::Space read_space(const Reader& kernel, std::vector<model::Define>& defines) {
  std::vector<model::Gene> genes;
  if (const auto gene_map = kernel.find("genes")) {
    for (const std::string& name : gene_map->keys())
      genes.push_back(read_gene(name, gene_map->at(name), defines));
  }
  std::vector<model::Constraint> constraints;
  if (const auto list = kernel.find("constraints")) constraints = read_constraints(*list);
  if (const auto checkable = kernel.find("sync_checkable"); checkable && !checkable->boolean())
    require_full_strength(*checkable, genes, constraints);
  return model::Space(std::move(genes), std::move(constraints));
}

namespace {

void set_edit(const Reader& item, const std::string& name, model::Genome& genome) {
  const std::string text = item.text();
  if (!source::edit_from_text(text)) item.fail("this is no edit as a run's experiment.yaml has it");
  genome.set(name, text);
}

model::Genome read_values(const Reader& genes, const model::Space& space, bool with_edits) {
  std::vector<std::string> known;
  for (const model::Gene& gene : space.genes()) known.push_back(gene.name);
  for (const std::string& name : genes.keys()) {
    if (with_edits && model::names_an_edit(name)) known.push_back(name);
  }
  genes.expect_keys(known);
  model::Genome genome = space.initial();
  for (const std::string& name : genes.keys()) {
    const Reader item = genes.at(name);
    if (model::names_an_edit(name)) {
      set_edit(item, name, genome);
      continue;
    }
    const model::Value value = read_value_of(*space.find(name), item);
    if (!space.find(name)->index_of(value)) {
      std::vector<std::string> values;
      for (const model::Value& v : space.find(name)->values) values.push_back(model::to_string(v));
      item.fail(fmt::format("{} is none of {}", model::to_string(value), fmt::join(values, ", ")));
    }
    genome.set(name, value);
  }
  return genome;
}

}  // namespace

model::Genome read_genome(const Reader& genes, const model::Space& space) {
  return read_values(genes, space, false);
}

model::Genome read_genome_with_edits(const Reader& genes, const model::Space& space) {
  return read_values(genes, space, true);
}

std::vector<model::TemplateDesign> read_initial_designs(const Reader& kernel, const model::Space& space) {
  std::vector<model::TemplateDesign> starts;
  const auto section = kernel.find("starts");
  if (!section) return starts;
  for (const Reader& item : section->items()) {
    item.expect_keys(key_names(start_keys()));
    model::TemplateDesign start;
    start.name = item.at("name").text();
    for (const model::TemplateDesign& other : starts) {
      if (other.name == start.name) item.fail(fmt::format("the start '{}' occurs twice", start.name));
    }
    if (const auto description = item.find("description")) start.description = description->text();
    start.genome = read_genome(item.at("genes"), space);
    starts.push_back(std::move(start));
  }
  return starts;
}

void read_dimensions(const Reader& reader, std::string_view key, model::Expression (&target)[3]) {
  const std::vector<Reader> items = reader.at(key).items();
  if (items.empty() || items.size() > 3) reader.at(key).fail("expected one to three expressions");
  for (std::size_t i = 0; i < 3; ++i)
    target[i] = i < items.size() ? items[i].expression() : model::Expression(1);
}

model::LaunchModel read_launch(const Reader& reader, const std::vector<model::Argument>& arguments) {
  model::LaunchModel launch;
  read_dimensions(reader, "grid", launch.grid);
  read_dimensions(reader, "block", launch.block);
  if (const auto smem = reader.find("dynamic_smem")) launch.dynamic_smem = smem->expression();
  const auto static_smem = reader.find("static_smem");
  launch.static_smem_open = !static_smem || static_smem->text() == "auto";
  if (!launch.static_smem_open) launch.static_smem = static_smem->expression();
  if (const auto maps = reader.find("tensor_maps")) {
    for (const Reader& map : maps->items()) launch.tensor_maps.push_back(read_tensor_map(map, arguments));
  }
  return launch;
}

model::Workload read_workload(const Reader& reader, const model::Problem& problem) {
  model::Workload workload;
  std::vector<std::string> known{"name", "weight"};
  for (const model::Axis& axis : problem.axes) known.push_back(axis.name);
  reader.expect_keys(known);
  workload.name = reader.at("name").text();
  if (const auto weight = reader.find("weight")) workload.weight = weight->number(1e-9, 1e9);
  for (const model::Axis& axis : problem.axes) {
    const auto value = reader.find(axis.name);
    if (!value) continue;
    const std::int64_t number = value->integer(lowest, highest);
    if (const auto objection = axis_objection(axis, number)) value->fail(*objection);
    workload.axes[axis.name] = number;
  }
  return workload;
}

}  // namespace evo::config
