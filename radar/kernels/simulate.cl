// Phase history of point targets in double precision, as radar/pulses.h defines it. An item makes CHUNK consecutive
// samples of one pulse: the phase of the first and the step from one to the next are computed in full and the rest
// follows by rotation, whose error after so few steps stays at a few units of the last place.
//
// targets: [count][5] x, y, z, re, im;  pulses: [pulses][6] antenna x, y, z, reference range, first frequency, step.

#define CYCLES_PER_HERTZ_METRE (2.0 / 299792458.0)
#define TURN 6.283185307179586476925

__kernel void simulate(__global float* restrict samples, __global const double* restrict targets,
                       __global const double* restrict pulses, const int target_count, const int pulse_count,
                       const int sample_count) {
  const int chunks = (sample_count + CHUNK - 1) / CHUNK;
  for (int item = get_global_id(0); item < pulse_count * chunks; item += get_global_size(0)) {
    const int pulse = item / chunks, first = (item % chunks) * CHUNK;
    __global const double* p = pulses + 6 * pulse;
    double re[CHUNK], im[CHUNK];
    for (int k = 0; k < CHUNK; ++k) re[k] = im[k] = 0.0;
    for (int t = 0; t < target_count; ++t) {
      __global const double* target = targets + 5 * t;
      const double dx = p[0] - target[0], dy = p[1] - target[1], dz = p[2] - target[2];
      const double metres = sqrt(dx * dx + dy * dy + dz * dz) - p[3];
      const double cycles = -CYCLES_PER_HERTZ_METRE * (p[4] + first * p[5]) * metres;
      const double step = -CYCLES_PER_HERTZ_METRE * p[5] * metres;
      const double phase = TURN * (cycles - floor(cycles)), turn = TURN * (step - floor(step));
      const double turn_re = cos(turn), turn_im = sin(turn);
      double c = cos(phase), s = sin(phase);
      for (int k = 0; k < CHUNK; ++k) {
        re[k] += target[3] * c - target[4] * s;
        im[k] += target[3] * s + target[4] * c;
        const double next = c * turn_re - s * turn_im;
        s = c * turn_im + s * turn_re;
        c = next;
      }
    }
    for (int k = 0; k < CHUNK; ++k)
      if (first + k < sample_count) {
        samples[2 * ((long)pulse * sample_count + first + k)] = (float)re[k];
        samples[2 * ((long)pulse * sample_count + first + k) + 1] = (float)im[k];
      }
  }
}
