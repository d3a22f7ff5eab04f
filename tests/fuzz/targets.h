// The readers under fuzzing. Each takes any bytes, returns 0, and may only ever throw inside.
#pragma once

#include <cstddef>
#include <cstdint>

int fuzz_checkpoint(const std::uint8_t* data, std::size_t size);
int fuzz_config(const std::uint8_t* data, std::size_t size);
int fuzz_csv(const std::uint8_t* data, std::size_t size);
int fuzz_idx(const std::uint8_t* data, std::size_t size);
int fuzz_image(const std::uint8_t* data, std::size_t size);
int fuzz_lists(const std::uint8_t* data, std::size_t size);
int fuzz_mat(const std::uint8_t* data, std::size_t size);
int fuzz_posterior(const std::uint8_t* data, std::size_t size);
int fuzz_safetensors(const std::uint8_t* data, std::size_t size);
int fuzz_weight_file(const std::uint8_t* data, std::size_t size);
