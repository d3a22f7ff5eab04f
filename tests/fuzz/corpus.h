// Valid files of each kind to begin from.
#pragma once

#include "mutate.h"

namespace scorevi::fuzz {

Corpus checkpoint_corpus();
Corpus config_corpus();  // the files of configs/, and small ones
Corpus csv_corpus();
Corpus idx_corpus();
Corpus image_corpus();  // the small files of tests/golden/images
Corpus lists_corpus();
Corpus mat_corpus();
Corpus posterior_corpus();  // the small files of data/posteriordb
Corpus safetensors_corpus();
Corpus weight_file_corpus();  // sound files of tests/golden/checkpoints, also without CRCs

}  // namespace scorevi::fuzz
