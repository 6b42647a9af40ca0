// Phase history to range profiles, before and after the transform. Sizes are defines: SAMPLES (K), NFFT, CENTRE (K / 2,
// the sample that becomes frequency 0, so that profiles are centred in frequency and interpolate best), RAMP; real_t, complex_t
// and make_complex give the precision.

// spectrum[pulse][NFFT]: sample k goes to transform index k - CENTRE, zero elsewhere. The sign (-1)^(k - CENTRE) moves
// range zero to bin NFFT / 2. pulse[first + p] = {weight cos(phase), weight sin(phase), f_0 / f_c, step / f_c}.
kernel void weigh_pulses(global const float2* samples, global const real_t* range_weights,
                         global const real_t* pulse, global complex_t* spectrum, int first, int pulses) {
  const size_t id = get_global_id(0);
  const int p = (int)(id / NFFT), bin = (int)(id % NFFT);
  if (p >= pulses) return;
  global const real_t* own = pulse + 4 * (size_t)(first + p);
  const int q = bin < (NFFT + 1) / 2 ? bin : bin - NFFT;
  const int k = q + CENTRE;
  real_t re = 0, im = 0;
  if (k >= 0 && k < SAMPLES) {
    const float2 sample = samples[(size_t)p * SAMPLES + k];
    real_t weight = (q & 1) ? -range_weights[k] : range_weights[k];
#if RAMP
    weight *= fabs(own[2] + (real_t)k * own[3]);
#endif
    const real_t wr = weight * own[0], wi = weight * own[1];
    re = wr * (real_t)sample.x - wi * (real_t)sample.y;
    im = wr * (real_t)sample.y + wi * (real_t)sample.x;
  }
  spectrum[id] = make_complex(re, im);
}
