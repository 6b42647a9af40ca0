// Reading an OpenCL program's binary makes PoCL compile it a second time. So a fresh program is used at once, and its
// binary is fetched and stored in the cache by one background thread when the caller has become quiet, or when the
// program is half a second old, whichever is first: other processes that wait for the same key wait no longer than that.
// Everything still waiting is stored at exit. Internal to compile/.
#pragma once

#include <memory>

#include "rtcg/compile/cache.h"
#include "rtcg/compile/kernel.h"

namespace rtcg {

struct DeferredEntry {
  std::shared_ptr<Module::State> module;
  Manifest manifest;
  std::string metadata;
  CompileCache::KeyLock lock;  ///< held until the entry is on disk
};

void store_later(DeferredEntry entry);
/// A program has been built or launched for the first time: not a good moment to compile in the background.
void postpone_stores();
/// Returns when nothing is waiting any more.
void flush_stores();

}  // namespace rtcg
