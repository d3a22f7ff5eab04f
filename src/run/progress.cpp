#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "scorevi/core/format.h"
#include "scorevi/core/terminal.h"

namespace scorevi::run {

ProgressBar::ProgressBar(bool enabled, int64_t total_steps, int64_t first_step)
    : enabled_(enabled && is_tty(STDERR_FILENO)), total_steps_(total_steps), first_step_(first_step) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(int64_t step, int64_t epoch, int64_t epochs, double loss, double lr, int64_t rows) {
  if (!enabled_) return;
  rows_ += rows;
  const Clock::time_point now = Clock::now();
  if (drawn_ && now - last_draw_ < std::chrono::milliseconds(100)) return;
  const double elapsed_s = std::max(1e-3, std::chrono::duration<double>(now - start_).count());
  const double done = static_cast<double>(step - first_step_);
  const double left_s = done > 0 ? elapsed_s * static_cast<double>(total_steps_ - step) / done : 0;
  constexpr int kWidth = 20;
  const int filled = total_steps_ > 0 ? static_cast<int>(kWidth * step / total_steps_) : 0;
  const std::string line = fmt::format("epoch {}/{} [{}{}] loss {:.4g}  lr {:.3g}  {:.0f} rows/s  {} left", epoch + 1,
                                       epochs, std::string(filled, '#'), std::string(kWidth - filled, '.'), loss, lr,
                                       static_cast<double>(rows_) / elapsed_s, format_duration(left_s));
  const std::size_t width = static_cast<std::size_t>(std::max(20, terminal_width(STDERR_FILENO) - 1));
  std::fprintf(stderr, "\r\x1b[K%s", line.substr(0, width).c_str());
  std::fflush(stderr);
  drawn_ = true;
  last_draw_ = now;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace scorevi::run
