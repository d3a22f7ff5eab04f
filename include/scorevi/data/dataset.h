// A data set: what every reader of this module returns.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scorevi/data/pictures.h"

namespace scorevi::data {

enum class Task { kClassification, kRegression };

// A picture that cannot be read and is no row of the set, or one that is used though it is damaged in part, or stands
// in the set as a grey picture.
struct BadPicture {
  enum class Use { kNo, kPart, kGrey };
  std::string path, reason;
  Use use = Use::kNo;
};

// A file of a table, and which of its rows are rows of the set: numbers from 1, without the header.
struct TableFile {
  std::string path;
  std::vector<std::int64_t> rows;
};

// What a csv set came from: what its target is called ("column 3" without a header) and how many columns the file has.
struct TableColumns {
  std::string target;      // "": unknown
  std::int64_t count = 0;  // 0: unknown
};

// Where a row of a set stands: in a file, from 1; where the set has no files of rows, `file` is "" and `row` counts the
// rows of the set.
struct RowPlace {
  std::string file;
  std::int64_t row = 0;
};

// N rows: either `inputs` on the CPU, contiguous, images of shape [channels, height, width] and tables [features]; or
// `pictures` of any size, which the loader brings to `form`.
struct Dataset {
  std::string name;
  std::string description;  // one line: what it is and where it comes from
  Task task = Task::kClassification;
  at::Tensor inputs;  // [N, ...], uint8 or float32; undefined where there are pictures
  std::shared_ptr<const Pictures> pictures;
  PictureForm form;                        // of the pictures as the network sees them
  std::vector<BadPicture> bad_pictures;    // on_bad_image: skip; see also Pictures::odd_rows()
  at::Tensor targets;                      // classification: [N] int64 in 0 .. C-1; regression: [N, K] float32
  std::vector<std::string> class_names;    // C; empty for regression
  std::vector<std::string> feature_names;  // one per input column, empty for images
  std::vector<TableFile> files;            // of a csv set: its rows in order, one file after the other
  TableColumns columns;                    // of a csv set
  double input_scale = 1.0;                // the value that stands for 1: 255, or 16 for digits
  // Rows [0, official_train) are the official training part and the rest the official test part;
  // -1 where the set is one pool.
  std::int64_t official_train = -1;
  // So many of the last official training rows are the official validation part.
  std::int64_t official_validation = 0;

  std::int64_t size() const { return pictures ? pictures->size() : inputs.size(0); }
  std::int64_t classes() const { return static_cast<std::int64_t>(class_names.size()); }
  // Without N; of pictures {3, form.size, form.size}.
  std::vector<std::int64_t> input_shape() const;
  bool is_image() const { return pictures || inputs.dim() == 4; }
  // Of a row from 0. Precondition: row < size().
  RowPlace place_of(std::int64_t row) const;
  // Of the given rows per class. Precondition: classification.
  std::vector<std::int64_t> class_counts(const std::vector<std::int64_t>& rows) const;
};

// Checks shapes, types and values as documented above; every reader calls it. Error kData.
void check_dataset(const Dataset& dataset);

}  // namespace scorevi::data
