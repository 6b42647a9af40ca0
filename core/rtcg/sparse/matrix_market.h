// Reads Matrix Market coordinate files (NIST's exchange format): real, integer, pattern and complex entries; general,
// symmetric, skew-symmetric and Hermitian matrices, which come back whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rtcg/sparse/sparse_matrix.h"

namespace rtcg {

/// Values are double, or complex<double> where the file says complex; pattern entries are 1. Entries of one place are
/// added up. InputError "FILE:LINE: what" for anything else than the format: a wrong header, sizes that no file can
/// hold, indices outside, too few or too many entries, entries above the diagonal of a symmetric matrix, values that
/// are not finite.
SparseMatrix read_matrix_market(const std::filesystem::path& path);

/// The same from text in memory; `name` stands for the file in messages.
SparseMatrix parse_matrix_market(std::string_view text, const std::string& name);

}  // namespace rtcg
