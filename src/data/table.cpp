// A CSV table as a data set.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "csv_cell.h"
#include "csv_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/utf8.h"
#include "scorevi/io/csv.h"
#include "sources.h"
#include "target_column.h"
#include "test_file.h"

namespace scorevi::data {
namespace {

constexpr const char* kTextAdvice = "; correct the cell, or leave it empty and set data.missing: drop";
constexpr std::size_t kMaxCategories = 1000;
constexpr std::size_t kFewCategories = 10;         // never suspicious
constexpr double kLostShare = 1e-4;                // of the range of a column that rounding to 32 bits may lose
constexpr std::size_t kMaxInputs = 1'000'000'000;  // cells after one-hot coding

// The rows that are used, and checks of cells with the place in the file.
class Table {
 public:
  Table(const io::CsvTable& csv, const std::vector<std::size_t>& columns, bool drop_missing) : csv_(csv) {
    rows_ = used_rows(csv, columns, drop_missing, problems_);
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t dropped() const { return csv_.rows() - rows_.size(); }
  std::string_view cell(std::size_t i, std::size_t column) const { return csv_.trimmed(rows_[i], column); }
  std::string where(std::size_t i, std::size_t column) const { return csv_.where(rows_[i], column); }
  TableFile file() const { return file_rows(csv_, rows_); }
  std::string label(std::size_t column) const {
    return csv_.has_header() ? csv_.header()[column] : fmt::format("column {}", column + 1);
  }
  // The column as data.ignore names it.
  std::string key(std::size_t column) const {
    return csv_.has_header() ? scorevi::quoted(csv_.header()[column]) : std::to_string(column);
  }
  [[noreturn]] void fail_at(std::size_t i, std::size_t column, const std::string& what) {
    problem(rows_[i], column, what);
    problems_.throw_if_any();
    throw InternalError("a problem is no error");
  }
  void throw_if_problems() const { problems_.throw_if_any(); }

  float number(std::size_t i, std::size_t column) const { return float_at(csv_, rows_[i], column); }

  // All cells must be numbers, and 32 bits must tell the values of the column apart: with 1700000001, 1700000002, ...
  // they cannot.
  void check_numbers(std::size_t column) {
    check_commas(csv_, rows_, column, problems_);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double low = kInfinity, high = -kInfinity, lost = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_number(i, column)) continue;
      const double value = *csv_.number(rows_[i], column);
      low = std::min(low, value);
      high = std::max(high, value);
      lost = std::max(lost, std::abs(value - static_cast<double>(static_cast<float>(value))));
    }
    if (low < high && lost > kLostShare * (high - low))
      problem(rows_[0], column,
              fmt::format("values from {:.10g} to {:.10g} lie too close together for 32-bit numbers; subtract a "
                          "constant from the column, or scale it",
                          low, high));
  }

  // A column is numeric when most of its cells are written as numbers, in whatever style: what is no number then is an
  // error and not a category.
  bool is_numeric(std::size_t column) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) count += csv_.resembles_number(rows_[i], column) ? 1 : 0;
    return 2 * count > size();
  }

  // Whole numbers, each one more than that of the row before: no quantity does that.
  bool counts_rows(std::size_t column) const {
    constexpr std::size_t kRows = 20;  // fewer say little
    const std::optional<std::int64_t> first = parse_int(cell(0, column));
    if (size() < kRows || !first) return false;
    std::int64_t expected = *first;
    for (std::size_t i = 1; i < size(); ++i)
      if (expected == std::numeric_limits<std::int64_t>::max() || parse_int(cell(i, column)) != ++expected)
        return false;
    return true;
  }

  // The distinct texts of a column: by value where all are whole numbers, else by bytes.
  std::vector<std::string> categories(std::size_t column) {
    std::set<std::string_view> found;
    for (std::size_t i = 0; i < size(); ++i) {
      found.insert(cell(i, column));
      if (found.size() > kMaxCategories) {
        fail_at(i, column,
                fmt::format("more than {} different texts in one column; is it an "
                            "identifier, or a number with a stray text?",
                            kMaxCategories));
      }
    }
    std::vector<std::string> sorted(found.begin(), found.end());
    const auto whole = [](const std::string& text) { return parse_int(text).has_value(); };
    if (std::all_of(sorted.begin(), sorted.end(), whole)) {
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const auto& a, const auto& b) { return *parse_int(a) < *parse_int(b); });
    }
    return sorted;
  }

 private:
  void problem(std::size_t row, std::size_t column, const std::string& what) {
    problems_.add(row, column, csv_.where(row, column) + ": " + what);
  }

  // A missing cell is a problem already.
  bool is_number(std::size_t i, std::size_t column) {
    if (is_missing(cell(i, column))) return false;
    return float_or_problem(csv_, rows_[i], column, problems_, kTextAdvice).has_value();
  }

  const io::CsvTable& csv_;
  CellProblems problems_;
  std::vector<std::size_t> rows_;
};

// How one column of the file becomes columns of the input.
struct Feature {
  std::size_t column;
  std::map<std::string, std::size_t, std::less<>> categories;  // empty: a number
  std::size_t width() const { return categories.empty() ? 1 : categories.size(); }
};

Feature text_feature(Table& table, std::size_t column, const DataOptions& options, Dataset& dataset) {
  if (options.text_columns == "error") {
    table.fail_at(0, column,
                  fmt::format("text in a feature column (\"{}\"), expected numbers; "
                              "data.text_columns: one_hot codes it",
                              table.cell(0, column)));
  }
  Feature feature{column, {}};
  std::size_t code = 0;
  const std::vector<std::string> categories = table.categories(column);
  if (categories.size() > kFewCategories && 2 * categories.size() > table.size()) {
    log().warn(
        "{}: {} has {} different texts in {} rows, and each becomes an input; if it is an identifier, leave it out "
        "with data.ignore: [{}]",
        options.path, table.label(column), categories.size(), table.size(), table.key(column));
  }
  for (const std::string& text : categories) {
    feature.categories.emplace(text, code++);
    dataset.feature_names.push_back(table.label(column) + "=" + text);
  }
  return feature;
}

void fill_inputs(const Table& table, const std::vector<Feature>& features, Dataset& dataset) {
  const std::size_t width = dataset.feature_names.size();
  if (table.size() > kMaxInputs / width) {
    throw Error(ErrorKind::kData,
                fmt::format("data.path: {} rows of {} input columns are too many", table.size(), width));
  }
  dataset.inputs = at::empty({static_cast<std::int64_t>(table.size()), static_cast<std::int64_t>(width)}, at::kFloat);
  float* out = dataset.inputs.mutable_data_ptr<float>();
  std::fill_n(out, table.size() * width, 0.0f);
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (const Feature& feature : features) {
      if (feature.categories.empty()) {
        *out = table.number(i, feature.column);
      } else {
        out[feature.categories.find(table.cell(i, feature.column))->second] = 1.0f;
      }
      out += feature.width();
    }
  }
}

// "colour=red" may be the name of a column as well as the text of another.
void refuse_equal_names(const std::vector<std::string>& names, const std::string& path) {
  std::set<std::string_view> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      throw Error(ErrorKind::kData,
                  fmt::format("{}: two inputs would be called \"{}\", of a column and of a text in another, expected "
                              "names that differ; rename a column, or leave one out with data.ignore",
                              path, name));
}

constexpr std::size_t kManyClasses = 20;

constexpr std::size_t kRowsPerClass = 10;

// Many whole numbers may be quantities, but for a numbering, 0 1 2 ... or 1 2 3 ..., of classes with rows enough.
void warn_of_quantities(const std::vector<std::string>& sorted, std::size_t rows, const std::string& label,
                        const std::string& path) {
  if (sorted.size() <= kManyClasses) return;
  for (const std::string& text : sorted)
    if (!parse_int(text)) return;
  const std::int64_t first = *parse_int(sorted.front()), last = *parse_int(sorted.back());
  const auto count = static_cast<std::int64_t>(sorted.size());
  const bool numbering = (first == 0 || first == 1) && last == first + count - 1;
  if (numbering && rows >= kRowsPerClass * sorted.size()) return;
  log().warn(
      "{}: the target {} holds {} different whole numbers from {} to {}, and each becomes a class; if it is a "
      "quantity, set data.task: regression (likelihood gaussian)",
      path, label, count, first, last);
}

// One number in two texts would be two classes.
void refuse_equal_numbers(const Table& table, std::size_t target, const std::vector<std::string>& classes) {
  std::map<double, std::string_view> texts;
  std::map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < table.size(); ++i) first.emplace(table.cell(i, target), i);
  for (const std::string& text : classes) {
    const std::optional<double> value = parse_double(text);
    if (!value || std::isnan(*value)) continue;
    const auto [known, is_new] = texts.emplace(*value, text);
    if (is_new) continue;
    throw Error(ErrorKind::kData,
                fmt::format("{}: \"{}\" is the number of {}: \"{}\", expected one text for each class",
                            table.where(first.at(text), target), text, table.where(first.at(known->second), target),
                            known->second));
  }
}

// The classes of the target, checked.
std::vector<std::string> target_classes(Table& table, std::size_t target, const std::string& path) {
  std::vector<std::string> classes = table.categories(target);
  for (const std::string& text : classes)
    if (parse_double(text) && !parse_int(text)) {
      throw Error(ErrorKind::kData, fmt::format("data.target: column {} holds {}, expected classes as whole numbers or "
                                                "texts; use data.task: regression for numbers",
                                                table.label(target), text));
    }
  refuse_equal_numbers(table, target, classes);
  warn_of_quantities(classes, table.size(), table.label(target), path);
  return classes;
}

void fill_classes(const Table& table, std::size_t target, Dataset& dataset) {
  std::map<std::string, std::int64_t, std::less<>> code;
  for (const std::string& text : dataset.class_names) code.emplace(text, static_cast<std::int64_t>(code.size()));
  dataset.targets = at::empty({static_cast<std::int64_t>(table.size())}, at::kLong);
  auto* out = dataset.targets.mutable_data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = code.find(table.cell(i, target))->second;
}

void fill_values(const Table& table, std::size_t target, Dataset& dataset) {
  dataset.targets = at::empty({static_cast<std::int64_t>(table.size()), 1}, at::kFloat);
  auto* out = dataset.targets.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = table.number(i, target);
}

}  // namespace

Dataset make_csv(const DataOptions& options) {
  check_choice("task", options.task, {"classification", "regression"});
  check_choice("text_columns", options.text_columns, {"one_hot", "error"});
  check_choice("missing", options.missing, {"error", "drop"});
  if (options.path.empty()) {
    throw Error(ErrorKind::kUsage, "data.path: missing, expected the path of a CSV file");
  }
  const io::CsvTable csv = read_csv_file(options);
  const std::size_t target = target_column(csv, options);
  const std::vector<std::size_t> columns = used_columns(csv, options, target);
  Table table(csv, columns, options.missing == "drop");
  Dataset dataset;
  dataset.name = "csv";
  dataset.description = options.path;
  dataset.files = {table.file()};
  dataset.columns = {table.label(target), static_cast<std::int64_t>(csv.columns())};
  if (table.dropped() > 0) {
    dataset.description += fmt::format(", {} rows with missing values dropped", table.dropped());
  }
  if (target + 1 != csv.columns()) log().info("{}: the target is {}", options.path, table.label(target));
  std::vector<Feature> features;
  for (const std::size_t c : columns) {
    if (c == target) continue;
    if (table.is_numeric(c)) {
      table.check_numbers(c);
      if (table.counts_rows(c))
        log().warn("{}: {} counts the rows; if it is an identifier, leave it out with data.ignore: [{}]", options.path,
                   table.label(c), table.key(c));
      features.push_back({c, {}});
      dataset.feature_names.push_back(table.label(c));
    } else {
      features.push_back(text_feature(table, c, options, dataset));
    }
  }
  refuse_equal_names(dataset.feature_names, options.path);
  dataset.task = options.task == "regression" ? Task::kRegression : Task::kClassification;
  if (dataset.task == Task::kRegression) table.check_numbers(target);
  table.throw_if_problems();
  if (dataset.task == Task::kClassification) dataset.class_names = target_classes(table, target, options.path);
  fill_inputs(table, features, dataset);
  if (dataset.task == Task::kRegression) {
    fill_values(table, target, dataset);
  } else {
    fill_classes(table, target, dataset);
  }
  if (!options.test_path.empty()) append_test_file(options, dataset);
  return dataset;
}

}  // namespace scorevi::data
