#include "rtcg/sparse/matrix_market.h"

#include <random>

#include "rtcg/error.h"
#include "rtcg/sparse/eigen.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

SparseMatrix parse(const std::string& text) {
  return parse_matrix_market(text, "m.mtx");
}

Eigen::MatrixXd dense(const SparseMatrix& matrix) {
  return to_eigen<double>(matrix).toDense();
}

TEST(MatrixMarket, ReadsGeneralRealEntriesInAnyOrder) {
  const SparseMatrix matrix =
      parse(general + "% a comment\n\n  3 4 5\n3 1 -1.5e-3\r\n1 4\t+2\n\n1 1 1\n% another\n2 2 7.\n1 4 .5\n");
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 4);
  expected(2, 0) = -1.5e-3, expected(0, 3) = 2.5, expected(0, 0) = 1, expected(1, 1) = 7;
  EXPECT_EQ(dense(matrix), expected);
  EXPECT_EQ(matrix.nonzeros(), 4u);
}

TEST(MatrixMarket, ExpandsSymmetricSkewAndHermitianMatrices) {
  const std::string entries = "2 2 2\n1 1 3\n2 1 4\n";
  Eigen::MatrixXd expected(2, 2);
  expected << 3, 4, 4, 0;
  EXPECT_EQ(dense(parse("%%MatrixMarket matrix coordinate integer symmetric\n" + entries)), expected);
  expected << 0, -4, 4, 0;
  EXPECT_EQ(dense(parse("%%MatrixMarket MATRIX Coordinate Real skew-symmetric\n2 2 1\n2 1 4\n")), expected);
  expected << 1, 1, 1, 0;
  EXPECT_EQ(dense(parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")), expected);
  const SparseMatrix hermitian = parse("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 4 5\n");
  using C = std::complex<double>;
  EXPECT_EQ(hermitian.values_as<C>(), (std::vector<C>{3, {4, -5}, {4, 5}}));
}

TEST(MatrixMarket, ReadsMatricesWithoutEntries) {
  EXPECT_EQ(parse(general + "0 0 0\n").rows(), 0u);
  EXPECT_EQ(parse(general + "5 3 0").columns(), 3u);
}

TEST(MatrixMarket, ReadsBackWhatItIsGivenToTheLastBit) {
  std::mt19937_64 random(3);
  std::string text = general + "50 60 300\n";
  std::vector<Eigen::Triplet<double>> triplets;
  for (int k = 0; k < 300; ++k) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
    triplets.emplace_back(k % 50, k * 7 % 60, value);
    text += std::to_string(k % 50 + 1) + " " + std::to_string(k * 7 % 60 + 1) + " ";
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.17g\n", value);
    text += digits;
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> expected(50, 60);
  expected.setFromTriplets(triplets.begin(), triplets.end());
  const ScratchDirectory scratch;
  write_bytes(scratch / "a.mtx", text);
  EXPECT_EQ((to_eigen<double>(read_matrix_market(scratch / "a.mtx")) - expected).norm(), 0.0);
}

TEST(MatrixMarket, RefusesOtherHeaders) {
  EXPECT_MESSAGE(InputError, "m.mtx:1: the file is empty", parse(""));
  EXPECT_MESSAGE(InputError, "m.mtx:1: a Matrix Market file begins with", parse("3 3 1\n1 1 1\n"));
  EXPECT_MESSAGE(InputError, "the format is \"array\"",
                 parse("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"));
  EXPECT_MESSAGE(InputError, "the field is \"quaternion\"",
                 parse("%%MatrixMarket matrix coordinate quaternion general\n"));
  EXPECT_MESSAGE(InputError, "the symmetry is \"\"", parse("%%MatrixMarket matrix coordinate real\n1 1 0\n"));
  EXPECT_MESSAGE(InputError, "the object is \"vector\"", parse("%%MatrixMarket vector coordinate real general\n"));
  EXPECT_MESSAGE(InputError, "Hermitian matrix has complex",
                 parse("%%MatrixMarket matrix coordinate real hermitian\n"));
  EXPECT_MESSAGE(InputError, "\"more\" follows", parse("%%MatrixMarket matrix coordinate real general more\n1 1 0\n"));
}

TEST(MatrixMarket, RefusesSizesThatNoFileCanHold) {
  EXPECT_MESSAGE(InputError, "m.mtx:1: the file ends where the sizes", parse(general));
  EXPECT_MESSAGE(InputError, "m.mtx:2: the rows should be a number, not \"-3\"", parse(general + "-3 3 0\n"));
  EXPECT_MESSAGE(InputError, "the number of entries is missing", parse(general + "3 3\n"));
  EXPECT_MESSAGE(InputError, "more than the 2147483647 that fit", parse(general + "3000000000 1 0\n"));
  EXPECT_MESSAGE(InputError, "out of range", parse(general + "99999999999999999999999 1 0\n"));
  EXPECT_MESSAGE(InputError, "18446744073709551615 entries do not fit into the 6 bytes",
                 parse(general + "3 3 18446744073709551615\n1 1 1\n"));
  EXPECT_MESSAGE(InputError, "nearly all would be empty", parse(general + "2147483647 1 1\n1 1 1\n"));
  EXPECT_MESSAGE(InputError, "is square, not 2 x 3", parse("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"));
  EXPECT_MESSAGE(InputError, "\"1\" follows", parse(general + "3 3 0 1\n"));
}

TEST(MatrixMarket, RefusesWrongEntriesWithTheirLine) {
  EXPECT_MESSAGE(InputError, "m.mtx:3: the file ends after 1 of the 2 entries that line 2 promises",
                 parse(general + "2 2 2\n1 1 1234\n"));
  EXPECT_MESSAGE(InputError, "m.mtx:5: there is more than the 2 entries that line 2 promises",
                 parse(general + "2 2 2\n1 1 1\n2 2 1\n1 2 1\n"));
  EXPECT_MESSAGE(InputError, "m.mtx:4: row 3 is not in 1 to 2", parse(general + "2 2 2\n1 1 1\n3 1 1\n"));
  EXPECT_MESSAGE(InputError, "m.mtx:3: column 0 is not in 1 to 2", parse(general + "2 2 1\n1 0 1\n"));
  EXPECT_MESSAGE(InputError, "the value is missing", parse(general + "2 2 1\n1 1\n"));
  EXPECT_MESSAGE(InputError, "should be a number, not \"1.0d3\"", parse(general + "2 2 1\n1 1 1.0D3\n"));
  EXPECT_MESSAGE(InputError, "the value is not finite", parse(general + "2 2 1\n1 1 nan\n"));
  EXPECT_MESSAGE(InputError, "out of range", parse(general + "2 2 1\n1 1 1e999\n"));
  EXPECT_MESSAGE(InputError, "m.mtx: the entries of one place add up to more than a double holds",
                 parse(general + "1 1 2\n1 1 1e308\n1 1 1e308\n"));
  EXPECT_MESSAGE(InputError, "\"2\" follows", parse(general + "2 2 1\n1 1 1 2\n"));
  EXPECT_MESSAGE(InputError, "should be a number, not \"0.5\"",
                 parse("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 0.5\n"));
  EXPECT_MESSAGE(InputError, "(1, 2) is above the diagonal",
                 parse("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"));
  EXPECT_MESSAGE(InputError, "(1, 1) is on the diagonal of a skew",
                 parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n"));
}

TEST(MatrixMarket, RefusesWhatCannotBeRead) {
  const ScratchDirectory scratch;
  EXPECT_MESSAGE(InputError, "absent.mtx: cannot be read", read_matrix_market(scratch / "absent.mtx"));
  EXPECT_MESSAGE(InputError, "cannot be read", read_matrix_market(scratch.path()));
}

TEST(MatrixMarket, SurvivesEveryTruncationAndByteChange) {
  const std::string whole =
      "%%MatrixMarket matrix coordinate complex hermitian\n% c\n3 3 3\n1 1 1 0\n2 1 4 -5e2\n3 3 1 0\n";
  for (std::size_t length = 0; length < whole.size(); ++length) try {
      parse(whole.substr(0, length));
      EXPECT_GE(length + 1, whole.size());
    } catch (const InputError&) {
    }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '9', '-', ' ', '\n', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        const SparseMatrix matrix = parse(changed);
        EXPECT_LE(matrix.nonzeros(), 9u);
      } catch (const InputError&) {
      }
    }
}

}  // namespace
}  // namespace rtcg
