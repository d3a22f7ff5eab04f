#include "assign.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "scorevi/core/format.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"

namespace scorevi::config {
namespace {

bool is_plain(const Node& node) { return node.kind == Node::Kind::kScalar && !node.quoted; }

bool means_nothing(const Node& node) {
  return node.kind == Node::Kind::kNull || (is_plain(node) && (node.text == "none" || node.text == "None"));
}

bool has_leading_zero(std::string text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.erase(0, 1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

// What went wrong with a number, with the fix where it is known.
std::string not_a_number(const Node& node, const std::string& expected) {
  std::string message = "expected " + expected + ", got " + node.shown();
  if (node.kind != Node::Kind::kScalar) return message;
  std::string without;
  for (char c : node.text)
    if (c != '_') without += c;
  if (parse_double(node.text) && node.quoted) return message + " in quotes (leave the quotes out)";
  if (without != node.text && parse_double(without)) return message + " (write " + without + ")";
  if (has_leading_zero(node.text)) return message + " (a leading zero is not allowed)";
  return message;
}

std::string out_of_range(const std::string& value, const Range& range) {
  return "out of range: got " + value + ", expected " + range.text();
}

// Each convert() fills `value` or returns what is wrong.
std::string convert(const Node& node, const Field& field, double& value) {
  const auto number = is_plain(node) ? parse_double(node.text) : std::nullopt;
  if (!number) return not_a_number(node, "a number");
  if (!field.range.contains(*number)) return out_of_range(node.text, field.range);
  value = *number;
  return "";
}

std::string convert(const Node& node, const Field& field, std::int64_t& value) {
  const auto number = is_plain(node) ? parse_int(node.text) : std::nullopt;
  if (!number) return not_a_number(node, "a whole number");
  if (!field.range.contains(static_cast<double>(*number))) return out_of_range(node.text, field.range);
  value = *number;
  return "";
}

std::string convert(const Node& node, const Field&, bool& value) {
  static const std::vector<std::string> kTrue = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
  static const std::vector<std::string> kFalse = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
  const auto is_in = [&node](const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), node.text) != words.end();
  };
  if (is_plain(node) && (is_in(kTrue) || is_in(kFalse))) {
    value = is_in(kTrue);
    return "";
  }
  std::string message = "expected true or false, got " + node.shown();
  if (is_plain(node) && node.text == "1") message += " (write true)";
  if (is_plain(node) && node.text == "0") message += " (write false)";
  return message;
}

std::string convert(const Node& node, const Field& field, std::string& value) {
  if (node.kind != Node::Kind::kScalar) return "expected a text, got " + node.shown();
  if (field.choices != nullptr) {
    std::vector<std::string> known;
    for (const Choice& choice : *field.choices) known.push_back(choice.name);
    if (std::find(known.begin(), known.end(), node.text) == known.end()) return unknown_name(node.text, known);
  }
  value = node.text;
  return "";
}

class Assigner {
 public:
  Assigner(const Node& node, const Field& field) : node_(node), field_(field) {}

  std::vector<FieldProblem> take() { return std::move(problems_); }

  template <class T>
  void operator()(T* value) {
    report(node_, "", convert(node_, field_, *value));
  }

  template <class T>
  void operator()(std::optional<T>* value) {
    if (means_nothing(node_)) {
      value->reset();
      return;
    }
    T inner{};
    const std::string problem = convert(node_, field_, inner);
    if (problem.empty()) *value = std::move(inner);
    report(node_, "", problem);
  }

  template <class T>
  void operator()(std::vector<T>* values) {
    if (node_.kind != Node::Kind::kList) {
      std::string message = "expected a " + type_name(field_) + ", got " + node_.shown();
      if (node_.kind == Node::Kind::kScalar) message += " (write [" + node_.text + "])";
      return report(node_, "", message);
    }
    values->clear();
    for (std::size_t i = 0; i < node_.items.size(); ++i) {
      T item{};
      report(node_.items[i], "[" + std::to_string(i) + "]", convert(node_.items[i], field_, item));
      values->push_back(std::move(item));
    }
  }

 private:
  void report(const Node& at, const std::string& suffix, const std::string& problem) {
    if (!problem.empty()) problems_.push_back({at.at, suffix, problem});
  }

  const Node& node_;
  const Field& field_;
  std::vector<FieldProblem> problems_;
};

struct TypeName {
  std::string operator()(const bool*) const { return "true/false"; }
  std::string operator()(const std::int64_t*) const { return "integer"; }
  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const std::string*) const { return "text"; }
  std::string operator()(const std::optional<double>*) const { return "number or null"; }
  std::string operator()(const std::optional<std::int64_t>*) const { return "integer or null"; }
  std::string operator()(const std::optional<std::string>*) const { return "text or null"; }
  std::string operator()(const std::vector<double>*) const { return "list of numbers"; }
  std::string operator()(const std::vector<std::int64_t>*) const { return "list of integers"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of texts"; }
};

}  // namespace

std::vector<FieldProblem> assign(const Node& node, const Field& field) {
  Assigner assigner(node, field);
  std::visit(assigner, field.target);
  return assigner.take();
}

std::string unknown_name(const std::string& got, const std::vector<std::string>& known) {
  return "expected one of " + join(known) + ", got " + quoted_for_message(got) + did_you_mean(got, known);
}

std::string type_name(const Field& field) {
  return field.choices != nullptr ? "choice" : std::visit(TypeName{}, field.target);
}

}  // namespace scorevi::config
