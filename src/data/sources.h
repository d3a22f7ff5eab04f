// One function per data set of the registry. Private to data.
#pragma once

#include <string>
#include <vector>

#include "scorevi/data/dataset.h"
#include "scorevi/data/options.h"

namespace scorevi::data {

// 1797 images of 8 x 8 handwritten digits, values 0 .. 16 (bundled).
Dataset make_digits(const DataOptions& options);

// Images of 28 x 28 with 10 classes in idx files, official training and test parts.
Dataset make_mnist(const DataOptions& options);
Dataset make_fashion_mnist(const DataOptions& options);
Dataset make_kmnist(const DataOptions& options);

// The binary files of CIFAR-10 and CIFAR-100, raw or gzip: inputs [N, 3, 32, 32] uint8. A file may hold fewer records
// than the official one, or be named data_batch_1_first5000.bin; missing training batches are told in the log.
// CIFAR-100 has `level` fine (100 classes) or coarse (20).
Dataset make_cifar10(const DataOptions& options);
Dataset make_cifar100(const DataOptions& options);

// Picture files, in the forms of picture_sources.h. Rows in the order train, validation, test. With on_bad_image: skip
// every file is decoded once, and the rows of those that cannot be are left out.
Dataset make_image_folder(const DataOptions& options);
Dataset make_image_list(const DataOptions& options);
Dataset make_dtd(const DataOptions& options);
Dataset make_oxford_pets(const DataOptions& options);
Dataset make_flowers102(const DataOptions& options);
Dataset make_fgvc_aircraft(const DataOptions& options);

// A table: numeric columns as they are, text columns one-hot.
Dataset make_csv(const DataOptions& options);

// Generated sets; formulas in toys.cpp.
Dataset make_two_moons(const DataOptions& options);
Dataset make_blobs(const DataOptions& options);
Dataset make_sine_gap(const DataOptions& options);
Dataset make_cubic(const DataOptions& options);

// Error kUsage unless `value` is one of `choices`.
void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& choices);

}  // namespace scorevi::data
