#include "dgfem/output/table_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <limits>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

const std::vector<std::string> columns{"energy", "p.max"};

TEST(TableFile, GrowsLineByLineAndIsReadableMeanwhile) {
  const ScratchDirectory scratch;
  TableFile table(scratch / "e.csv", columns);
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy,p.max\n");
  table.add(0, std::vector{1.0, -0.5});
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy,p.max\n0,1,-0.5\n");
  table.add(0.1 + 0.2, std::vector{1.0 / 3, std::numeric_limits<double>::quiet_NaN()});
  table.add(0.2, std::vector{7.0, 7.0});  // not later
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy,p.max\n0,1,-0.5\n0.30000000000000004,0.3333333333333333,nan\n");
  EXPECT_MESSAGE(UsageError, "e.csv: 1 values for 2 columns", table.add(1, std::vector{1.0}));
}

TEST(TableFile, GoesOnAfterARestartWithoutLaterLines) {
  const ScratchDirectory scratch;
  const std::string head = "time,energy,p.max\n";
  write_bytes(scratch / "e.csv", head + "0,1,2\n0.1,3,nan\n0.2,5,6\n0.3,7,8\n0.4,9,1");
  {
    TableFile table = TableFile::continued(scratch / "e.csv", columns, 0.2);
    EXPECT_EQ(read_bytes(scratch / "e.csv"), head + "0,1,2\n0.1,3,nan\n0.2,5,6\n");
    ASSERT_EQ(table.earlier().size(), 3u);
    EXPECT_EQ(table.earlier()[2], (std::vector{0.2, 5.0, 6.0}));
    table.add(0.2, std::vector{5.0, 6.0});  // the sample at the restart is there already
    table.add(0.25, std::vector{1.0, 2.0});
  }
  EXPECT_EQ(read_bytes(scratch / "e.csv"), head + "0,1,2\n0.1,3,nan\n0.2,5,6\n0.25,1,2\n");
  // A line cut short is dropped even where it is not late.
  write_bytes(scratch / "e.csv", head + "0,1,2\n0.1,3,4");
  TableFile::continued(scratch / "e.csv", columns, 1);
  EXPECT_EQ(read_bytes(scratch / "e.csv"), head + "0,1,2\n");
  TableFile::continued(scratch / "new.csv", columns, 1);
  EXPECT_EQ(read_bytes(scratch / "new.csv"), head);
}

TEST(TableFile, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const std::vector<std::string> bad{"a,b"};
  EXPECT_MESSAGE(UsageError, "\"a,b\" cannot name a column", TableFile(scratch / "e.csv", bad));
  EXPECT_MESSAGE(InputError, "none/e.csv: cannot be written", TableFile(scratch / "none/e.csv", columns));
  write_bytes(scratch / "e.csv", "time,energy\n0,1\n");
  EXPECT_MESSAGE(InputError, "its columns are \"time,energy\", not \"time,energy,p.max\"",
                 TableFile::continued(scratch / "e.csv", columns, 1));
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy\n0,1\n");
  write_bytes(scratch / "e.csv", "time,energy,p.max\n0,1,2\n1,x,2\n");
  EXPECT_MESSAGE(InputError, "e.csv: line 3 does not hold 3 numbers",
                 TableFile::continued(scratch / "e.csv", columns, 1));
  write_bytes(scratch / "e.csv", "");
  EXPECT_MESSAGE(InputError, "cannot be read or is empty", TableFile::continued(scratch / "e.csv", columns, 1));
}

TEST(TableFile, OnAFullDiskKeepsWholeLines) {
  const ScratchDirectory scratch;
  TableFile table(scratch / "e.csv", columns);
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limited = unlimited;
  limited.rlim_cur = 40;
  setrlimit(RLIMIT_FSIZE, &limited);
  table.add(0, std::vector{1.25, 2.5});
  EXPECT_MESSAGE(InputError, "e.csv: cannot be written: File too large", table.add(1, std::vector{1.0 / 3, 1.0 / 7}));
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy,p.max\n0,1.25,2.5\n");
  table.add(1, std::vector{3.0, 4.0});
  EXPECT_EQ(read_bytes(scratch / "e.csv"), "time,energy,p.max\n0,1.25,2.5\n1,3,4\n");
}

}  // namespace
}  // namespace rtcg::dgfem
