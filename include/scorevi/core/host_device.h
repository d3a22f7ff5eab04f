// Marks a function that runs on the host and, when nvcc compiles it, on the device too.
#pragma once

#ifdef __CUDACC__
#define SCOREVI_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define SCOREVI_HOST_DEVICE inline
#endif
