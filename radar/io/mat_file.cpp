#include "radar/io/mat_file.h"

#include <fmt/format.h>
#ifdef RTCG_WITH_MATIO
#include <matio.h>
#endif

#include "radar/io/mat_structure.h"
#include "rtcg/error.h"

namespace rtcg::radar {

#ifdef RTCG_WITH_MATIO
namespace {

struct VariableDeleter {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
struct FileDeleter {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
using Variable = std::unique_ptr<matvar_t, VariableDeleter>;

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class To>
void append(std::vector<To>& values, const matvar_t& variable, const void* data, std::size_t count) {
  if (variable.class_type == MAT_C_SINGLE)
    values.assign(static_cast<const float*>(data), static_cast<const float*>(data) + count);
  else
    values.assign(static_cast<const double*>(data), static_cast<const double*>(data) + count);
}

}  // namespace

struct MatFile::State {
  std::string name;
  std::unique_ptr<PlainMat> plain;
  std::unique_ptr<mat_t, FileDeleter> file;
  mutable Variable root;  // the struct, by name of the first path component
  mutable std::string root_name;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", name, what)); }

  /// nullptr when a component is absent; InputError when one on the way is no scalar struct.
  matvar_t* find(const std::string& path) const {
    const std::vector<std::string> parts = split(path);
    if (!root || root_name != parts[0]) {
      Mat_Rewind(file.get());
      root.reset(Mat_VarReadInfo(file.get(), parts[0].c_str()));
      root_name = parts[0];
    }
    matvar_t* variable = root.get();
    std::string so_far = parts[0];
    for (std::size_t i = 1; variable && i < parts.size(); ++i) {
      // matio leaves the data of a struct out when it could not read its fields, and does not check that itself.
      if (variable->class_type != MAT_C_STRUCT || variable->rank != 2 || variable->dims[0] != 1 ||
          variable->dims[1] != 1 || !variable->data)
        fail(fmt::format("'{}' is not a 1 x 1 struct", so_far));
      variable = Mat_VarGetStructFieldByName(variable, parts[i].c_str(), 0);
      so_far += "." + parts[i];
    }
    return variable;
  }

  matvar_t& numeric(const std::string& path) const {
    matvar_t* variable = find(path);
    if (!variable) fail(fmt::format("no field '{}'", path));
    if (variable->class_type != MAT_C_SINGLE && variable->class_type != MAT_C_DOUBLE)
      fail(fmt::format("'{}' is of MATLAB class {}; single or double is needed", path,
                       static_cast<int>(variable->class_type)));
    if (variable->rank != 2 || !variable->dims)
      fail(fmt::format("'{}' has {} dimensions; 2 are needed", path, variable->rank));
    return *variable;
  }

  /// Reads the numbers of a real or complex array; their count.
  std::size_t load(const std::string& path, matvar_t& variable, bool complex) const {
    if ((variable.isComplex != 0) != complex)
      fail(fmt::format("'{}' is {}; {} numbers are needed", path, complex ? "real" : "complex",
                       complex ? "complex" : "real"));
    const std::size_t rows = variable.dims[0], columns = variable.dims[1];
    if (!variable.data && rows * columns != 0 && Mat_VarReadDataAll(file.get(), &variable) != 0)
      fail(fmt::format("'{}' cannot be read; the file is damaged or truncated", path));
    if (rows * columns != 0 && !variable.data) fail(fmt::format("'{}' has no data", path));
    return rows * columns;
  }
};

MatFile::MatFile(const std::filesystem::path& file) : state_(std::make_unique<State>()) {
  state_->name = file.string();
  state_->plain = std::make_unique<PlainMat>(file);
  state_->file.reset(Mat_Open(state_->plain->path().c_str(), MAT_ACC_RDONLY));
  if (!state_->file || Mat_GetVersion(state_->file.get()) != MAT_FT_MAT5)
    state_->fail("not a MATLAB 5 file; save it with -v6 or -v7");
}

bool MatFile::has(const std::string& path) const {
  return state_->find(path) != nullptr;
}

MatFile::Shape MatFile::shape(const std::string& path) const {
  const matvar_t& variable = state_->numeric(path);
  return {variable.dims[0], variable.dims[1]};
}

std::vector<double> MatFile::reals(const std::string& path) const {
  matvar_t& variable = state_->numeric(path);
  const std::size_t count = state_->load(path, variable, false);
  std::vector<double> values;
  append(values, variable, variable.data, count);
  return values;
}

std::vector<std::complex<float>> MatFile::complexes(const std::string& path) const {
  matvar_t& variable = state_->numeric(path);
  const std::size_t count = state_->load(path, variable, true);
  if (count == 0) return {};
  const auto& parts = *static_cast<const mat_complex_split_t*>(variable.data);
  if (!parts.Re || !parts.Im) state_->fail(fmt::format("'{}' lacks its real or imaginary part", path));
  std::vector<float> real, imaginary;
  append(real, variable, parts.Re, count);
  append(imaginary, variable, parts.Im, count);
  std::vector<std::complex<float>> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = {real[i], imaginary[i]};
  return values;
}

bool mat_files_supported() {
  return true;
}

#else

struct MatFile::State {};

bool mat_files_supported() {
  return false;
}

MatFile::MatFile(const std::filesystem::path& file) {
  throw InputError(
      fmt::format("{}: this build reads no MATLAB files; install libmatio-dev and configure with RTCG_WITH_MATIO=ON",
                  file.string()));
}

bool MatFile::has(const std::string&) const {
  return false;
}
MatFile::Shape MatFile::shape(const std::string&) const {
  return {};
}
std::vector<double> MatFile::reals(const std::string&) const {
  return {};
}
std::vector<std::complex<float>> MatFile::complexes(const std::string&) const {
  return {};
}

#endif

MatFile::~MatFile() = default;
MatFile::MatFile(MatFile&&) noexcept = default;

}  // namespace rtcg::radar
