#include "scorevi/config/load.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "fuzz/targets.h"
#include "scorevi/core/counter_rng.h"
#include "support/error_of.h"
#include "support/sample_options.h"
#include "support/temp_dir.h"

namespace scorevi::config::test {
namespace {

TEST(Load, ReadsAFileWithOverrides) {
  const scorevi::test::TempDir dir;
  const std::string path = dir.write("c.yaml", "data: {name: x}\nseed: 1\n");
  const auto options = load<SampleOptions>(path, {"seed=7", "optimizer={name: sgd, lr: 1}"});
  EXPECT_EQ(options.seed, 7);
  EXPECT_EQ(options.optimizer, "sgd");
  EXPECT_EQ(scorevi::test::message_of(ErrorKind::kUsage, [&] { load<SampleOptions>(path, {"seed=x"}); }),
            "-s seed=x: seed: expected a whole number, got \"x\"");
}

// Damaged configurations end in an Error or in options, never in another exception or a crash.
TEST(Load, SurvivesDamagedText) {
  const std::string seed_text =
      "name: a\ndata: {name: x, limit: ~}\nmodel: &m\n  hidden: [1, 2]\nprior:\n  groups:\n"
      "    - {match: \"*\", std: .inf}\noptimizer: {name: sgd, lr: 1e-3}\n# end\n";
  const std::string alphabet = "\n\t :-[]{},&*!|>'\"%@`#?~<0a.\\\r\x80";
  for (std::uint32_t round = 0; round < 3000; ++round) {
    const CounterRng rng(1, Purpose::kTest, round);
    std::string text = seed_text;
    const std::uint64_t edits = 1 + rng.below(6, 0);
    for (std::uint64_t i = 0; i < edits; ++i) {
      const std::size_t at = rng.below(text.size(), 3 * i + 1);
      const char c = alphabet[rng.below(alphabet.size(), 3 * i + 2)];
      switch (rng.below(3, 3 * i + 3)) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        default:
          text.erase(at, 1);
      }
    }
    fuzz_config(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}

}  // namespace
}  // namespace scorevi::config::test
