// A libcuda over host memory, so that the real CUDA driver code runs on machines without a GPU. It is strict where the
// real one is: a call needs the device's context, addresses must be allocated, streams do nothing until somebody waits
// for them, and device addresses mean nothing to the host. Kernels do nothing; a launch is recorded with its arguments.
// A module is the text "fake module: name(4,8,8) other(8)", parameter sizes in brackets, or a real cubin.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

struct FakeCuda {
  struct Launch {
    std::string kernel;
    unsigned groups[3], local[3], dynamic_bytes;
    void* stream;
    std::vector<std::string> arguments;  ///< bytes of each
  };

  // What a test may set.
  int device_count = 2;
  std::size_t memory = std::size_t{1} << 30;  ///< per device
  std::map<std::string, int> fail_once;       ///< call -> the CUresult it returns instead of running

  // What a test may look at.
  std::map<std::string, int> calls;
  std::size_t used = 0;
  std::size_t host_blocks = 0, arrays = 0, textures = 0, streams = 0, events = 0, modules = 0, contexts = 0;
  std::vector<Launch> launches;
  int texture_address_mode = -1, texture_filter_mode = -1;
  unsigned texture_flags = ~0u;
  std::vector<unsigned char> array_contents;  ///< of the array written last
  int allowed_dynamic_bytes = 0;              ///< as set last
};

/// Exported by the fake library as "fake_cuda".
using FakeCudaFunction = FakeCuda& (*)();
