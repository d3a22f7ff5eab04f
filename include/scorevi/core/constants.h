// Numbers of mathematics.
#pragma once

namespace scorevi {

inline constexpr double kLogTwoPi = 1.83787706640934548356;  // log(2 pi)

}  // namespace scorevi
