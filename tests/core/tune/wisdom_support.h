// Records as a tuning writes them, for the tests of wisdom.
#pragma once

#include "rtcg/tune/wisdom_record.h"

namespace rtcg::test {

inline WisdomRecord wisdom_record() {
  WisdomRecord record;
  record.family = "smooth";
  record.version = 3;
  record.device = {"NVIDIA H200", "sm_90", "CUDA", "580.65", "NVRTC 13.0 for sm_90"};
  record.system = "Linux 6.1 x86_64";
  record.traits = {{"dtype", "float32"}, {"border", "zero"}};
  record.sizes = {{"height", 256}, {"width", 1024}};
  record.configuration.set("group", std::int64_t{128});
  record.configuration.set("unrolled", true);
  record.configuration.set("kernel", std::string("rows"));
  record.seconds = 1.25e-4;
  record.noise = 0.003;
  record.samples = 41;
  record.default_seconds = 2.5e-4;
  record.work = 1e9;
  record.unit = "FLOP";
  record.verified = true;
  record.date = "2026-12-01T10:30:00Z";
  record.suite = "0.1.0";
  record.strategy = "local";
  record.seed = 18446744073709551615u;
  record.tried = 120;
  record.failed = 4;
  record.search_seconds = 31.5;
  return record;
}

}  // namespace rtcg::test
