#include "apps/rtcg-bench/peers/cuda_libraries.h"

#include <dlfcn.h>

#include <memory>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::bench {

namespace {

using Object = void*;  ///< a handle or a descriptor of one of the libraries

class Library {
 public:
  /// `name` is "cufft"; `versions` are the sonames' numbers known to fit, newest first.
  Library(const char* name, std::initializer_list<int> versions) : name_(name) {
    for (const int version : versions)
      for (const char* directory : {"", "/usr/local/cuda/lib64/"})
        if (!handle_) handle_ = dlopen(fmt::format("{}lib{}.so.{}", directory, name, version).c_str(), RTLD_NOW);
  }
  explicit operator bool() const { return handle_ != nullptr; }

  template <class... Arguments>
  int status_of(const char* function, Arguments... arguments) const {
    const auto entry = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, function));
    return entry ? entry(arguments...) : -1;
  }
  /// Throws DeviceError unless the function is there and returns 0.
  template <class... Arguments>
  void call(const char* function, Arguments... arguments) const {
    const int status = status_of(function, arguments...);
    if (status != 0) throw DeviceError(fmt::format("{} of {} failed: {}", function, name_, status));
  }

 private:
  const char* name_;
  void* handle_ = nullptr;
};

bool is_cuda(const Stream& stream) {
  return stream.device().properties().backend == Backend::cuda;
}

Object address(Handle handle) {
  return reinterpret_cast<Object>(handle);
}

}  // namespace

std::function<void()> cufft(const Stream& stream, const Buffer& in, const Buffer& out, std::size_t length,
                            std::size_t batch) {
  constexpr int complex_to_complex = 0x29, forward = -1;
  static const Library library("cufft", {12, 11});
  if (!is_cuda(stream) || !library) return {};
  struct Plan {
    int id = 0;
    ~Plan() { library.status_of("cufftDestroy", id); }
  };
  const auto plan = std::make_shared<Plan>();
  int extent = static_cast<int>(length);
  library.call("cufftPlanMany", &plan->id, 1, &extent, static_cast<int*>(nullptr), 1, extent,
               static_cast<int*>(nullptr), 1, extent, complex_to_complex, static_cast<int>(batch));
  library.call("cufftSetStream", plan->id, address(stream.native()));
  return [=] { library.call("cufftExecC2C", plan->id, address(in.native()), address(out.native()), forward); };
}

std::function<void()> cublas_dot(const Stream& stream, const Buffer& x, const Buffer& y, const Buffer& result,
                                 std::size_t n) {
  constexpr int results_on_device = 1;
  static const Library library("cublas", {13, 12});
  if (!is_cuda(stream) || !library) return {};
  struct Context {
    Object handle = nullptr;
    ~Context() { library.status_of("cublasDestroy_v2", handle); }
  };
  const auto context = std::make_shared<Context>();
  library.call("cublasCreate_v2", &context->handle);
  library.call("cublasSetStream_v2", context->handle, address(stream.native()));
  library.call("cublasSetPointerMode_v2", context->handle, results_on_device);
  return [=] {
    library.call("cublasSdot_v2", context->handle, static_cast<int>(n), address(x.native()), 1, address(y.native()), 1,
                 address(result.native()));
  };
}

std::function<void()> cusparse_spmv(const Stream& stream, const CsrBuffers& matrix, const Buffer& x, const Buffer& y) {
  constexpr int index_32 = 2, base_zero = 0, not_transposed = 0, default_algorithm = 0;
  static const Library library("cusparse", {12, 11});
  if (!is_cuda(stream) || !library) return {};
  struct State {
    Object handle = nullptr, matrix = nullptr, x = nullptr, y = nullptr;
    Buffer scratch;
    double one = 1, zero = 0;  // read as float where the matrix is
    ~State() {
      library.status_of("cusparseDestroyDnVec", x);
      library.status_of("cusparseDestroyDnVec", y);
      library.status_of("cusparseDestroySpMat", matrix);
      library.status_of("cusparseDestroy", handle);
    }
  };
  const auto state = std::make_shared<State>();
  const int type = matrix.values.bytes() == 8 * matrix.entries ? 1 : 0;  // CUDA_R_64F, CUDA_R_32F
  if (type == 0) {
    const float one = 1;
    std::memcpy(&state->one, &one, sizeof one);
  }
  const auto rows = static_cast<std::int64_t>(matrix.rows), columns = static_cast<std::int64_t>(matrix.columns);
  library.call("cusparseCreate", &state->handle);
  library.call("cusparseSetStream", state->handle, address(stream.native()));
  library.call("cusparseCreateCsr", &state->matrix, rows, columns, static_cast<std::int64_t>(matrix.entries),
               address(matrix.starts.native()), address(matrix.indices.native()), address(matrix.values.native()),
               index_32, index_32, base_zero, type);
  library.call("cusparseCreateDnVec", &state->x, columns, address(x.native()), type);
  library.call("cusparseCreateDnVec", &state->y, rows, address(y.native()), type);
  const void *one = &state->one, *zero = &state->zero;
  std::size_t bytes = 0;
  library.call("cusparseSpMV_bufferSize", state->handle, not_transposed, one, state->matrix, state->x, zero, state->y,
               type, default_algorithm, &bytes);
  state->scratch = Buffer(stream, std::max<std::size_t>(bytes, 1));
  const Object scratch = address(state->scratch.native());
  library.call("cusparseSpMV_preprocess", state->handle, not_transposed, one, state->matrix, state->x, zero, state->y,
               type, default_algorithm, scratch);
  return [=] {
    library.call("cusparseSpMV", state->handle, not_transposed, one, state->matrix, state->x, zero, state->y, type,
                 default_algorithm, scratch);
  };
}

}  // namespace rtcg::bench
