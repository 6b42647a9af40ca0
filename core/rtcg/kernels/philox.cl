// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a bijection of
// 128-bit counters for each 64-bit key. Kernels of one's own may include it (with_philox in array/random.h).
static inline uint4 philox4x32_10(uint4 counter, uint key0, uint key1) {
  RTCG_UNROLL(10)
  for (int round = 0; round < 10; ++round) {
    const ulong a = (ulong)0xd2511f53u * counter.x, b = (ulong)0xcd9e8d57u * counter.z;
    counter = make_uint4((uint)(b >> 32) ^ counter.y ^ key0, (uint)b, (uint)(a >> 32) ^ counter.w ^ key1, (uint)a);
    key0 += 0x9e3779b9u, key1 += 0xbb67ae85u;
  }
  return counter;
}
