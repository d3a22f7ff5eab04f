#include "posterior_models.h"

#include "guard.h"
#include "scorevi/core/check.h"
#include "targets.h"

// A file that is read must give a density of as many coordinates as its reference, which can be evaluated anywhere.
int fuzz_posterior(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  const std::string_view text = fuzz::view(data, size);
  std::string name = targets::posteriors().front().name;
  for (const auto& info : targets::posteriors())
    if (text.find('"' + info.name + '"') != std::string_view::npos) name = info.name;
  return fuzz::refuse_or_read([&] {
    const targets::KnownTarget target = targets::read_posterior(name, text, "fuzz");
    SCOREVI_CHECK_OP(target.reference.mean.numel(), ==, target.density->dim());
    target.density->evaluate(target.reference.mean);
    target.density->evaluate(target.density->point());
  });
}
