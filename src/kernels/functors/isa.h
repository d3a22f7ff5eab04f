// The namespace of the functors. The CPU loops are compiled once per instruction set; each copy has a
// namespace of its own, so that the linker never mixes code for different machines.
#pragma once

#include "scorevi/core/host_device.h"

#ifndef SCOREVI_ISA
#define SCOREVI_ISA generic
#endif
