// The resampling loops for x86 with AVX2. Private to data.
#pragma once

#include "resample.h"

namespace scorevi::data {

extern const ResampleKernels kAvx2Resample;

}  // namespace scorevi::data
