// How good is an image? Impulse response of a point (IRW, PSLR, ISLR on 16-fold upsampled cuts), entropy and contrast
// of the whole, and the signal-to-error ratio against another image.
#pragma once

#include <optional>

#include "radar/image.h"

namespace rtcg::radar {

/// Of one cut; "lobes" are counted from minimum to minimum of |I|.
struct ImpulseResponse {
  double position = 0;   ///< m, of the peak along the cut's direction, from the frame's origin
  double amplitude = 0;  ///< |I| at the peak
  double irw = 0;        ///< m, width at half power (-3 dB)
  double pslr_db = 0;    ///< highest sidelobe against the peak
  double islr_db = 0;    ///< energy outside the main lobe (null to null) against that inside, ten lobes to each side
  int lobes = 0;         ///< sidelobes measured on the poorer side: fewer than ten where the image ends
};

struct PointQuality {
  Vec3 peak = Vec3::Zero();    ///< m
  std::complex<double> value;  ///< interpolated at the peak
  ImpulseResponse range, cross_range;
};

/// The strongest pixel within `search` metres of (x, y), refined between pixels; cuts along `range_direction` (in the
/// x-y plane, from the scene to the antenna on the ground) and along (-y, x) of it, in the peak's slice of a volume.
/// The patch is shifted to zero mean frequency, then interpolated by a Kaiser-windowed sinc of 32 taps (-100 dB up to
/// 0.8 of the pixels' Nyquist frequency). InputError when no peak lies there or when the image ends before one
/// sidelobe to each side.
PointQuality point_quality(const Image& image, double x, double y, const Vec3& range_direction, double search = 1.0);

double image_entropy(const Image& image);   ///< -sum p ln p with p = |I|^2 / sum |I|^2
double image_contrast(const Image& image);  ///< std(|I|^2) / mean(|I|^2)
/// 10 log10(sum |reference|^2 / sum |image - reference|^2). InputError when the shapes differ.
double signal_to_error_db(const Image& image, const Image& reference);
/// Complex coherence |sum a b*| / sqrt(sum |a|^2 sum |b|^2) over 3 x 3 windows: smallest and 1 % quantile.
struct Coherence {
  double minimum = 0, percentile_1 = 0;
};
Coherence coherence(const Image& image, const Image& reference);

}  // namespace rtcg::radar
