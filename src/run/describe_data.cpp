#include "describe.h"
#include "scorevi/data/registry.h"
#include "scorevi/models/registry.h"

namespace scorevi::run {
namespace {

void describe_root(data::DataOptions& o, config::Visitor& v) {
  v.field("root", o.root, "folder of downloaded data sets; empty: SCOREVI_DATA, ./data, ./data/raw");
}

void describe_csv(data::DataOptions& o, config::Visitor& v) {
  v.field("path", o.path, "the file (plain or .gz)", config::Need::kRequired);
  v.choice("task", o.task, {{"classification", ""}, {"regression", ""}}, "what is predicted");
  v.field("target", o.target, "target column: its name, or its number from 0; -1 is the last");
  v.choice("header", o.header,
           {{"auto", "yes when the first row holds a text where the rest hold numbers"}, {"yes", ""}, {"no", ""}},
           "whether the first row names the columns");
  v.choice("delimiter", o.delimiter, {{"auto", ""}, {"comma", ""}, {"semicolon", ""}, {"tab", ""}}, "between fields");
  v.choice("text_columns", o.text_columns, {{"one_hot", "one 0/1 column per value"}, {"error", "refuse them"}},
           "what becomes of features that are text");
  v.choice("missing", o.missing, {{"error", "stop and name row and column"}, {"drop", "leave such rows out"}},
           "empty fields, NA and ?");
}

void describe_toy(data::DataOptions& o, config::Visitor& v) {
  v.field("rows", o.rows, "rows", config::between(10, 10000000));
  v.field("noise", o.noise, "standard deviation of the noise; negative: the set's own");
}

}  // namespace

void describe_data(DataSection& section, config::Visitor& v) {
  data::DataOptions& o = section.source;
  const auto root = [&o](config::Visitor& i) { describe_root(o, i); };
  const auto toy = [&o](config::Visitor& i) { describe_toy(o, i); };
  const auto blobs = [&o](config::Visitor& i) {
    describe_toy(o, i);
    i.field("classes", o.classes, "clusters", config::between(2, 100));
  };
  const FieldsByName fields = {{"mnist", root},    {"fashion_mnist", root},
                               {"kmnist", root},   {"csv", [&o](config::Visitor& i) { describe_csv(o, i); }},
                               {"two_moons", toy}, {"blobs", blobs},
                               {"sine_gap", toy},  {"cubic", toy}};
  v.variant("name", o.name, "data set", variants_of(data::datasets().entries(), fields));
  v.field("test_frac", section.test_frac,
          "share of all rows held out for testing; official test parts are used as they are", config::between(0, 0.99));
  v.field("train_size", section.train_size, "rows drawn for training and validation; 0 = all that is left",
          config::non_negative());
  v.field("validation_frac", section.validation_frac, "share of the drawn rows held out for validation",
          config::fraction_below_one());
  v.field("stratified", section.stratified, "classes in equal shares in every part");
  v.field("split_seed", section.split_seed, "seed of the split; null = the run's seed", config::non_negative());
  v.field("batch_size", section.batch_size, "rows per step; the last batch of an epoch may be smaller",
          config::between(1, 1000000));
  v.choice("scaling", section.scaling,
           {{"scale", "divided by the largest possible value"},
            {"standardise", "mean 0 and standard deviation 1 on the train split, per column or channel"},
            {"none", "as they are"}},
           "scaling of the inputs; a regression target is standardised with them, but for none");
  v.field("workers", section.workers, "loader threads; never changes a result", config::between(0, 64));
}

}  // namespace scorevi::run
