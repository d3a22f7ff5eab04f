#include "describe.h"
#include "scorevi/data/registry.h"

namespace scorevi::run {
namespace {

void describe_root(data::DataOptions& o, config::Visitor& v) {
  v.field("root", o.root, "folder of downloaded data sets; empty: SCOREVI_DATA, ./data, ./data/raw");
}

void describe_csv(data::DataOptions& o, config::Visitor& v) {
  v.field("path", o.path, "the file (plain or .gz)", config::Need::kRequired);
  v.choice("task", o.task, {{"classification", ""}, {"regression", ""}}, "what is predicted");
  v.field("test_path", o.test_path, "a second file, with the test rows; empty: test_frac of the rows of path");
  v.field(
      "target", o.target,
      "target column: its name, its number from 0 (-1 is the last), or auto: the one called label, class, target or "
      "y, else the last");
  v.field("ignore", o.ignore, "columns that are no inputs, such as identifiers: names, or numbers as for target");
  v.choice("header", o.header,
           {{"auto", "yes when the first row holds a text where the rest hold numbers"}, {"yes", ""}, {"no", ""}},
           "whether the first row names the columns");
  v.choice("delimiter", o.delimiter, {{"auto", ""}, {"comma", ""}, {"semicolon", ""}, {"tab", ""}}, "between fields");
  v.choice("text_columns", o.text_columns, {{"one_hot", "one 0/1 column per value"}, {"error", "refuse them"}},
           "what becomes of features that are text");
  v.choice("missing", o.missing, {{"error", "stop and name row and column"}, {"drop", "leave such rows out"}},
           "empty fields, NA and ?");
}

void describe_pictures(data::DataOptions& o, config::Visitor& v) {
  v.choice("on_bad_image", o.on_bad_image,
           {{"error", "the first picture that cannot be decoded ends the run"},
            {"skip", "all pictures are decoded once in the beginning, and bad ones are left out"},
            {"substitute", "a grey picture stands in"}},
           "what becomes of damaged pictures");
  v.choice("cache", o.cache, {{"none", ""}, {"decoded", "3 bytes per pixel; the size is told first"}},
           "what is kept in memory of pictures once read");
  v.field("exif_orientation", o.exif_orientation, "turn pictures as their cameras noted");
}

void describe_labels(data::DataOptions& o, config::Visitor& v) {
  v.field("labels_dir", o.labels_dir,
          "folder of other lists, in the set's folder or from here; empty finds the set's own");
}

// Key `level` of the sets whose classes come in several grains.
void describe_level(data::DataOptions& o, config::Visitor& v, const std::vector<config::Choice>& levels) {
  v.choice("level", o.level, levels, "which classes; empty: the first of them");
}

void describe_toy(data::DataOptions& o, config::Visitor& v) {
  v.field("rows", o.rows, "rows", config::between(10, 10000000));
  v.field("noise", o.noise, "standard deviation of the noise; negative: the set's own");
}

// The keys beside data.name, by data set.
FieldsByName dataset_fields(data::DataOptions& o) {
  const auto root = [&o](config::Visitor& i) { describe_root(o, i); };
  const auto pictures = [&o](config::Visitor& i) {
    describe_root(o, i);
    describe_pictures(o, i);
  };
  const auto dtd = [&o, pictures](config::Visitor& i) {
    pictures(i);
    i.field("partition", o.partition, "which of the published splits", config::between(1, 10));
    describe_labels(o, i);
  };
  const auto pets = [&o, pictures](config::Visitor& i) {
    pictures(i);
    describe_labels(o, i);
  };
  const auto aircraft = [&o, pictures](config::Visitor& i) {
    pictures(i);
    describe_level(o, i, {{"", ""}, {"variant", "100 classes"}, {"family", "70"}, {"manufacturer", "30"}});
  };
  const auto cifar100 = [&o, root](config::Visitor& i) {
    root(i);
    describe_level(o, i, {{"", ""}, {"fine", "100 classes"}, {"coarse", "20"}});
  };
  const auto folder = [&o](config::Visitor& i) {
    i.field("root", o.root, "the folder: <class>/..., or train, val and test with <class>/... in each",
            config::Need::kRequired);
    describe_pictures(o, i);
  };
  const auto list = [&o](config::Visitor& i) {
    i.field("root", o.root, "the folder that the lists' paths begin in", config::Need::kRequired);
    i.field("list_train", o.list_train, "text file with a path and a label in each line; alone, it is one pool",
            config::Need::kRequired);
    i.field("list_validation", o.list_validation, "the same for validation");
    i.field("list_test", o.list_test, "the same for testing");
    describe_pictures(o, i);
  };
  const auto toy = [&o](config::Visitor& i) { describe_toy(o, i); };
  const auto blobs = [&o](config::Visitor& i) {
    describe_toy(o, i);
    i.field("classes", o.classes, "clusters", config::between(2, 100));
  };
  return {{"cifar10", root},
          {"cifar100", cifar100},
          {"dtd", dtd},
          {"oxford_pets", pets},
          {"flowers102", pictures},
          {"fgvc_aircraft", aircraft},
          {"image_folder", folder},
          {"image_list", list},
          {"mnist", root},
          {"fashion_mnist", root},
          {"kmnist", root},
          {"csv", [&o](config::Visitor& i) { describe_csv(o, i); }},
          {"two_moons", toy},
          {"blobs", blobs},
          {"sine_gap", toy},
          {"cubic", toy}};
}

}  // namespace

void describe_image(ImageSection& o, config::Visitor& v) {
  v.field("size", o.size, "pixels of the square that the network sees; null = the network's own",
          config::between(8, 4096));
  v.field("resize", o.resize,
          "pixels of the short side before the middle is cut out in evaluation; 0 = pictures have the size already",
          config::between(0, 8192));
  v.choice("interpolation", o.interpolation, {{"auto", "the network's own"}, {"bilinear", ""}, {"bicubic", ""}},
           "of all resizing, with antialias");
  v.field("mean", o.mean, "per channel, of values in [0, 1]; [] = the network's own", config::between(-10, 10));
  v.field("std", o.std, "per channel, of values in [0, 1]; [] = the network's own", config::positive());
}

void describe_augment(AugmentSection& o, config::Visitor& v) {
  const auto standard = [&o](config::Visitor& i) {
    i.choice("crop", o.crop,
             {{"auto", "resized for files, shifted for pictures in memory"},
              {"resized", "a random box, resized"},
              {"shifted", "as in evaluation, then moved by up to `shift` pixels"},
              {"middle", "as in evaluation"}},
             "what is cut out");
    i.field("scale", o.scale, "share of the area that the box has, least and most", config::positive_fraction());
    i.field("shift", o.shift, "pixels; what comes from outside is black", config::between(0, 1000));
    i.field("flip", o.flip, "probability of a mirror image", config::fraction());
    i.field("rotation", o.rotation, "largest angle in degrees", config::between(0, 180));
    i.field("brightness", o.brightness, "largest relative change", config::between(0, 10));
    i.field("contrast", o.contrast, "largest relative change", config::between(0, 10));
    i.field("saturation", o.saturation, "largest relative change", config::between(0, 10));
    i.field("hue", o.hue, "largest turn of the colour circle", config::between(0, 0.5));
    i.field("rand_augment", o.rand_augment, "operations of RandAugment; 0 = none", config::between(0, 14));
    i.field("rand_magnitude", o.rand_magnitude, "their strength", config::between(0, 30));
    i.field("trivial_augment", o.trivial_augment, "one random operation of random strength");
    i.field("erasing", o.erasing, "probability that a rectangle is erased", config::fraction());
    i.field("mixup", o.mixup, "alpha of mixup; 0 = none", config::between(0, 4));
    i.field("cutmix", o.cutmix, "alpha of CutMix; with mixup each batch gets either", config::between(0, 4));
    i.field("label_smoothing", o.label_smoothing, "share of the target that is spread over all classes",
            config::fraction_below_one());
  };
  v.variant("name", o.name, "random changes of training pictures; other data are never changed",
            {{"none", "training sees pictures as evaluation does", {}},
             {"standard", "the changes below, in this order", standard}});
}

void describe_data(DataSection& section, config::Visitor& v) {
  data::DataOptions& o = section.source;
  v.variant("name", o.name, "data set", variants_of(data::datasets().entries(), dataset_fields(o)));
  v.section("image", "how pictures are shown to the network",
            [&section](config::Visitor& i) { describe_image(section.image, i); });
  v.section("augment", "random changes of training pictures",
            [&section](config::Visitor& i) { describe_augment(section.augment, i); });
  v.field("test_frac", section.test_frac,
          "share of all rows held out for testing, of the training part where that is all there is; official test "
          "parts are used as they are",
          config::between(0, 0.99));
  v.field("train_size", section.train_size, "rows drawn for training and validation; 0 = all that is left",
          config::non_negative());
  v.field("validation_frac", section.validation_frac, "share of the drawn rows held out for validation",
          config::fraction_below_one());
  v.choice("validation", section.validation,
           {{"auto", "official for your own pictures where they have a validation part, else split"},
            {"split", "validation_frac of the training rows, an official validation part among them"},
            {"official", "the data set's own validation part"}},
           "where validation rows come from");
  v.field("stratified", section.stratified, "classes in equal shares in every part, as far as their rows go");
  v.field("split_seed", section.split_seed, "seed of the split; null = the run's seed", config::non_negative());
  v.field("batch_size", section.batch_size, "rows per step; the last batch of an epoch may be smaller",
          config::between(1, 1000000));
  v.choice("scaling", section.scaling,
           {{"scale", "divided by the largest possible value"},
            {"standardise", "mean 0 and standard deviation 1 on the train split, per column or channel"},
            {"none", "as they are"}},
           "scaling of inputs that are no pictures (see image); a regression target is standardised with them, but for "
           "none");
  v.field("workers", section.workers, "loader threads; never changes a result", config::between(0, 64));
}

}  // namespace scorevi::run
