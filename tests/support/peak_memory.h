// The most memory that a piece of work held at once, from the kernel's account of the process.
#pragma once

#include <fstream>
#include <string>

namespace scorevi::test {

// A line of /proc/self/status such as "VmHWM" in bytes; 0 where it is not there.
inline double status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key + ":", 0) == 0) return 1024.0 * std::stod(line.substr(key.size() + 1));
  return 0;
}

// Peak of the resident memory since construction, above what was held then.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts at the present size
    start_bytes_ = status_bytes("VmRSS");
  }
  double bytes() const { return status_bytes("VmHWM") - start_bytes_; }

 private:
  double start_bytes_ = 0;
};

}  // namespace scorevi::test
