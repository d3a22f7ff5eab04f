// Failures of libjpeg and libpng inside C++. Private to io.
#pragma once

#include <csetjmp>

namespace scorevi::io {

// Runs one step of a C library that leaves by longjmp(jump, 1) when it fails; returns whether the
// step came to its end. A longjmp runs no destructors: neither `step` nor what it calls may hold an
// object that has one. Such objects live in the caller, which returns or throws in the ordinary way.
template <class Step>
bool runs_through(std::jmp_buf& jump, const Step& step) {
  if (setjmp(jump) != 0) return false;
  step();
  return true;
}

}  // namespace scorevi::io
