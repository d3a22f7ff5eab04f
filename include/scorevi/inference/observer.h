// Who wants to know how a run goes. Engines and drivers report facts here; printing and writing is up to observers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/inference/engine.h"

namespace scorevi::inference {

// The base class is the observer that does nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  // After every step, those included that changed nothing.
  virtual void on_step(const StepInfo& /*info*/, const StepStats& /*stats*/) {}
  // After an epoch, with the values measured there by name.
  virtual void on_epoch(int64_t /*epoch*/, const std::vector<std::pair<std::string, double>>& /*values*/) {}
  // Once, when the run ends for whatever reason.
  virtual void on_end(const std::string& /*reason*/) {}
};

}  // namespace scorevi::inference
