// For processors without loops of their own.
#include "resample.h"

namespace scorevi::data {

const ResampleKernels& resample_kernels() { return kPortableResample; }

}  // namespace scorevi::data
