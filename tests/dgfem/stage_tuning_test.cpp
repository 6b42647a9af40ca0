#include "dgfem/stage_tuning.h"

#include <gtest/gtest.h>

#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "rtcg/tune/session.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

class StageTuningTest : public test::DeviceTest {
 protected:
  TunableRegistry registry() const {
    TunableRegistry all;
    add_stages(all);
    return all;
  }
};

TEST_P(StageTuningTest, EveryKernelStandsItsTrial) {
  const Stream on = stream();
  for (const char* system : {"maxwell", "euler"})
    for (const char* precision : {"single", "double"}) {
      const Tunable tunable =
          registry()
              .find("dg_stage")
              .make(device(), {{"system", system}, {"order", "2"}, {"precision", precision}}, {{"elements", 200}});
      const std::unique_ptr<Trial> trial = tunable.trial(on);
      for (const ParameterValue& kernel : tunable.space.parameters().front().values) {
        Configuration choice = tunable.space.standard();
        choice.set("kernel", kernel);
        const auto run = validated(*trial, on, choice);
        run(), run();  // as it is timed
        EXPECT_TRUE(tunable.demand(choice).objection(device().properties()).empty());
      }
    }
}

TEST_P(StageTuningTest, WrongResultsAreFoundOut) {
  const Stream on = stream();
  const Tunable tunable = registry().find("dg_stage").make(device(), {{"order", "1"}}, {{"elements", 200}});
  const std::unique_ptr<Trial> trial = tunable.trial(on);
  const auto run = validated(*trial, on, tunable.space.standard());
  run();  // with a residual from before: another result than that of the first execution
  EXPECT_THROW(trial->check(), NumericalError);
  for (const GuardedOutput* output : trial->outputs()) output->poison();
  EXPECT_THROW(trial->check(), NumericalError);
}

TEST_P(StageTuningTest, IsTunedBySession) {
  const Tunable tunable = registry().find("dg_stage").make(device(), {{"order", "4"}}, {});
  EXPECT_EQ(tunable.traits.at("system"), "maxwell");
  EXPECT_EQ(tunable.work, 200000 * 35 * 6);
  TuneOptions options{.seconds = 0.5, .variants = 1, .wisdom = nullptr};
  const TuneReport report =
      tune(stream(), registry().find("dg_stage").make(device(), {{"order", "1"}}, {{"elements", 500}}), options);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_GT(report.standard.timing.seconds, 0);
}

TEST_P(StageTuningTest, RefusesSystemsThatAreNotShipped) {
  EXPECT_THROW(registry().find("dg_stage").make(device(), {{"system", "elastic"}}, {}), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(StageTuningTest);

}  // namespace
}  // namespace rtcg::dgfem
