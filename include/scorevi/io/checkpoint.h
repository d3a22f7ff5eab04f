// Checkpoints of a run: a StateDict in a safetensors file that is marked as scorevi's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scorevi/params/state_dict.h"

namespace scorevi::io {

class WeightFile;

// Checksums of metadata and tensors (CRC-32) stand in the metadata, so that what was damaged on disk is never used:
// every flipped bit is found. Reading a part checks that part.

// Written into the metadata under "scorevi.format"; a reader refuses every other version.
inline constexpr int kCheckpointVersion = 2;

// Writes the state so that a crash at any moment leaves the old file or the new one, complete.
// Tensor names and metadata are the caller's ("mean.<parameter>", "log_std.<parameter>"); metadata
// keys that begin with "scorevi." are reserved. Temporaries that a killed run left in the folder
// are removed.
// Error kNumerical: a floating-point tensor holds NaN or infinity; the message names the tensor and
// the element, nothing is written, the old file stays. Error kRuntime: disk full, no permission.
void save_checkpoint(const std::string& path, const params::StateDict& state);

// Reads what save_checkpoint wrote, as CPU tensors, in the saved order. Error kData: missing,
// half-written or damaged (the message names the tensor), a safetensors file that is no scorevi checkpoint, another
// version.
// With `prefixes`, only the tensors whose names begin with one of them are read; the metadata are complete.
params::StateDict load_checkpoint(const std::string& path, const std::vector<std::string>& prefixes = {});

// Error kData as load_checkpoint with the same `prefixes`; holds one tensor at a time.
void verify_checkpoint(const std::string& path, const std::vector<std::string>& prefixes = {});

// Whether it is a checkpoint, of whatever version.
bool is_checkpoint(const WeightFile& file);

// The same as load_checkpoint for bytes in memory; `name` stands in messages.
params::StateDict parse_checkpoint(std::string_view bytes, const std::string& name);

}  // namespace scorevi::io
