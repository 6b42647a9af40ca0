#include "rtcg/sparse/format.h"

#include <algorithm>

#include "rtcg/sparse/host_layout.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

const char* name_of(SparseFormat format) {
  switch (format) {
    case SparseFormat::automatic:
      return "automatic";
    case SparseFormat::csr:
      return "CSR";
    case SparseFormat::sell:
      return "SELL";
    case SparseFormat::dia:
      return "DIA";
    case SparseFormat::stencils:
      return "stencils";
    case SparseFormat::packets:
      return "packets";
  }
  return "?";
}

SparseArguments& SparseArguments::add(const Buffer& buffer) {
  Slot slot;
  slot.buffer = buffer;
  slot.type = {buffer.element(), 1, ArgumentSpace::buffer, 0};
  slots_.push_back(std::move(slot));
  return *this;
}

SparseArguments& SparseArguments::add(const SparseArguments& others) {
  slots_.insert(slots_.end(), others.slots_.begin(), others.slots_.end());
  return *this;
}

void SparseArguments::launch(const Kernel& kernel, const Stream& stream, const Grid& grid) const {
  std::array<Argument, Kernel::most_arguments> packed;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    packed.at(k) = {slot.buffer ? static_cast<const void*>(slot.buffer.argument()) : &slot.value, slot.type};
  }
  kernel.launch(stream, grid, std::span<const Argument>(packed.data(), slots_.size()));
}

TemplateValues common_values(const FormatTarget& target, ScalarType dtype, unsigned wide, unsigned resident) {
  const bool is_complex = dtype == ScalarType::c64 || dtype == ScalarType::c128;
  TemplateValue::List steps;
  for (unsigned step = target.group() / 2; step > 0; step /= 2) steps.push_back(step);
  return {{"value", name_of(dtype)},
          {"complex", is_complex ? dtype == ScalarType::c64 ? "cfloat" : "cdouble" : ""},
          {"wide", wide},
          {"resident", resident},
          {"total", target.has_double ? "double" : "float"},
          {"group", target.group()},
          {"steps", steps},
          {"cpu", target.cpu()}};
}

std::string common_text(const FormatTarget& target, ScalarType dtype, unsigned wide, unsigned resident) {
  return render(kernels::sparse_common_cl, common_values(target, dtype, wide, resident), "sparse_common.cl");
}

Source DeviceMatrix::source(const RowProgram& program) const {
  TemplateValues all = values;
  all.insert_or_assign("name", program.name);
  all.insert_or_assign("parameters", program.parameters.empty() ? "" : ",\n    " + program.parameters);
  all.insert_or_assign("declare", program.declare);
  all.insert_or_assign("condition", program.condition);
  all.insert_or_assign("begin", program.begin);
  all.insert_or_assign("row", program.row);
  all.insert_or_assign("end", program.end);
  const unsigned resident = std::min(program.resident, most_resident);
  all.merge(common_values(target, dtype, program.wide, resident));
  const std::string file = program.name + ".cl";
  return Source(file, common_text(target, dtype, program.wide, resident) + "#define SOURCE(j) (" + program.element +
                          ")\n" + program.helpers + render(text, all, file));
}

Kernel DeviceMatrix::kernel(const Device& device, const RowProgram& program) const {
  return compile(device, source(program)).kernel(program.name);
}

Grid DeviceMatrix::grid(const RowProgram& program) const {
  const std::size_t full = target.groups(program.resident);
  const std::size_t groups = target.cpu() || program.reduces ? full : std::max<std::size_t>(work_groups, 1);
  return Grid::of(groups, target.group());
}

void DeviceMatrix::launch(const Kernel& kernel, const Stream& stream, const RowProgram& program,
                          const SparseArguments& others) const {
  SparseArguments all = arguments;
  all.add(others).launch(kernel, stream, grid(program));
}

MatrixStructure MatrixStructure::of(const SparseMatrix& matrix) {
  MatrixStructure structure;
  std::vector<std::uint8_t> used(matrix.rows() + matrix.columns() + 1);
  std::size_t diagonals = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto first = static_cast<std::size_t>(matrix.row_starts()[i]);
    const auto last = static_cast<std::size_t>(matrix.row_starts()[i + 1]);
    structure.longest_row = std::max(structure.longest_row, last - first);
    structure.empty_rows += first == last ? 1 : 0;
    for (std::size_t k = first; k < last && diagonals <= most_diagonals; ++k) {
      std::uint8_t& seen = used[static_cast<std::size_t>(matrix.column_indices()[k]) + matrix.rows() - i];
      diagonals += seen == 0 ? 1 : 0;
      seen = 1;
    }
  }
  if (diagonals > most_diagonals) return structure;
  for (std::size_t at = 0; at < used.size(); ++at)
    if (used[at] != 0)
      structure.diagonals.push_back(static_cast<std::int64_t>(at) - static_cast<std::int64_t>(matrix.rows()));
  return structure;
}

std::vector<WeighedFormat> weigh_formats(const SparseMatrix& matrix, const FormatTarget& target, unsigned slice,
                                         std::size_t sort_window) {
  const std::size_t value_bytes = size_of(matrix.dtype()), entry_bytes = value_bytes + sizeof(std::int32_t);
  const std::size_t rows = matrix.rows();
  std::vector<WeighedFormat> formats{
      {SparseFormat::csr, matrix.nonzeros() * entry_bytes + rows * start_bytes(matrix.nonzeros()), 0}};
  const MatrixStructure structure = MatrixStructure::of(matrix);
  if (!structure.diagonals.empty()) {
    formats.push_back({SparseFormat::dia, rows * structure.diagonals.size() * value_bytes, 0});
    if (count_stencils(matrix, structure.diagonals) > 0) formats.push_back({SparseFormat::stencils, rows, 0});
  }
  if (!target.cpu()) {
    const SellSize size = sell_size(matrix, slice, sort_window);
    formats.push_back(
        {SparseFormat::sell, size.entries * entry_bytes + (size.sorts ? rows * sizeof(std::int32_t) : 0), 0});
  }
  const auto weight = [](const WeighedFormat& format) {
    return format.matrix_bytes + (format.format == SparseFormat::csr ? format.matrix_bytes / 4 : 0);
  };
  std::erase_if(formats, [&](const WeighedFormat& format) { return weight(format) > 2 * weight(formats.front()); });
  std::stable_sort(formats.begin(), formats.end(),
                   [&](const WeighedFormat& a, const WeighedFormat& b) { return weight(a) < weight(b); });
  return formats;
}

}  // namespace rtcg
