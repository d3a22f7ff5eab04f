// What the `data:` section of a configuration says about a data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::data {

struct DataOptions {
  std::string name = "digits";  // a name of data::datasets()
  // Folder with one subfolder per data set; "" searches SCOREVI_DATA, ./data, ./data/raw and the
  // folder of the bundled data.
  std::string root;

  // sets with official parts
  std::string part = "all";  // all | train (and validation) | test: the official parts to read

  // pictures
  std::string level;           // fgvc_aircraft: variant | family | manufacturer, cifar100: fine | coarse; "": the first
  std::int64_t partition = 1;  // dtd: 1 .. 10
  std::string labels_dir;      // dtd, oxford_pets: the folder with the lists, in the set's or from here; "" finds it
  std::string list_train;      // image_list: text files with lines "path label"
  std::string list_validation;
  std::string list_test;
  std::string on_bad_image = "error";  // error | skip | substitute
  std::string cache = "none";          // none | decoded: pictures stay in memory after their first use
  bool exif_orientation = false;       // turn pictures as their cameras noted

  // csv
  std::string path;
  std::string test_path;                 // a second file with the test rows; "": test_frac of the rows of path
  std::string task = "classification";   // classification | regression
  std::string target = "auto";           // column name, or number from 0, -1 is the last; auto: see target_column.h
  std::vector<std::string> ignore;       // columns that are not read: names, or numbers as for target
  std::string delimiter = "auto";        // auto | comma | semicolon | tab
  std::string header = "auto";           // auto | yes | no
  std::string text_columns = "one_hot";  // one_hot | error
  std::string missing = "error";         // error | drop: rows with an empty, NA or ? cell

  // two_moons, blobs, sine_gap, cubic
  std::int64_t rows = 1000;
  std::int64_t classes = 3;  // blobs
  double noise = -1.0;       // standard deviation; negative: the set's own
  std::uint64_t seed = 0;    // of generated sets
};

}  // namespace scorevi::data
