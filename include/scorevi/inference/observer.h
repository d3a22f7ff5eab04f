// Who wants to know how a run goes. Engines and drivers report facts here; printing and writing is up to observers.
#pragma once

#include <string>

#include "scorevi/inference/engine.h"

namespace scorevi::inference {

// The base class is the observer that does nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  // After every step, those included that changed nothing.
  virtual void on_step(const StepInfo& /*info*/, const StepStats& /*stats*/) {}
  // Once, when the run ends for whatever reason.
  virtual void on_end(const std::string& /*reason*/) {}
};

}  // namespace scorevi::inference
