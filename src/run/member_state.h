// What the folder of a member of a sweep holds already.
#pragma once

#include <functional>
#include <string>

#include "scorevi/run/sweep.h"

namespace scorevi::run {

struct MemberState {
  enum Kind {
    kFinished,
    kUnfinished,  // goes on from its checkpoint
    kFresh,       // nothing of worth is there
    kOther,       // of another configuration, other data or weights, or damaged
  };
  Kind kind = kFresh;
  std::string difference;  // of another: how it differs
};

// The data and first weights at hand; empty where they are not to be compared.
using InputsNow = std::function<MemberInputs()>;

// `resolved`: the text of the configuration that the member shall have.
MemberState member_state(const std::string& path, const std::string& resolved, const InputsNow& inputs);

}  // namespace scorevi::run
