#include "radar/io/cphd_xml.h"

#include <Eigen/Geometry>
#include <cstdlib>
#include <filesystem>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

TEST(CphdXml, AnExampleOfAnotherWriterIsUnderstood) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  const std::filesystem::path file =
      std::filesystem::path(source ? source : ".") / "../shared/data/formats/sarkit_example-cphd-1.1.0.xml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  const CphdMetadata m = parse_cphd_xml(read_bytes(file), "example");
  EXPECT_EQ(m.phase_sign, -1);
  EXPECT_EQ(m.signal, CphdSignal::cf8);
  EXPECT_EQ(m.pvp_bytes, 352u);
  ASSERT_EQ(m.channels.size(), 1u);
  EXPECT_EQ(m.channels[0].identifier, "1");
  EXPECT_EQ(m.channels[0].vectors, 2081u);
  EXPECT_EQ(m.channels[0].samples, 979u);
  EXPECT_EQ(m.tx_position.offset, 1u);
  EXPECT_EQ(m.rcv_position.offset, 25u);
  EXPECT_EQ(m.reference_position.offset, 7u);
  EXPECT_EQ(m.first_frequency.offset, 14u);
  EXPECT_EQ(m.frequency_step.offset, 15u);
  EXPECT_FALSE(m.amplitude);
  ASSERT_TRUE(m.validity);
  EXPECT_EQ(m.validity->offset, 35u);
  ASSERT_TRUE(m.scene_reference && m.plane_axes);
  EXPECT_EQ(m.scene_reference->x(), 6378137.0);
  EXPECT_NEAR((*m.plane_axes)[0].cross((*m.plane_axes)[1]).x(), 1, 1e-12);
}

TEST(CphdXml, MalformedTextIsAnErrorWithItsPlace) {
  EXPECT_MESSAGE(InputError, "f: CPHD XML: ", parse_cphd_xml("", "f"));
  EXPECT_MESSAGE(InputError, "at byte", parse_cphd_xml("<CPHD><Global></CPHD>", "f"));
  EXPECT_MESSAGE(InputError, "root element is not CPHD", parse_cphd_xml("<SICD/>", "f"));
  EXPECT_MESSAGE(InputError, "no element Global", parse_cphd_xml("<CPHD/>", "f"));
  EXPECT_MESSAGE(InputError, "no element SGN in Global",
                 parse_cphd_xml("<CPHD><Global><DomainType>FX</DomainType></Global></CPHD>", "f"));
}

}  // namespace
}  // namespace rtcg::radar
