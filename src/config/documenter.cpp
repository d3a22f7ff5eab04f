#include "scorevi/config/documenter.h"

#include <utility>

#include "assign.h"
#include "scorevi/config/dumper.h"
#include "scorevi/core/suggest.h"

namespace scorevi::config {
namespace {

bool is_number(const Target& target) {
  return std::holds_alternative<double*>(target) || std::holds_alternative<std::int64_t*>(target) ||
         std::holds_alternative<std::optional<double>*>(target) ||
         std::holds_alternative<std::optional<std::int64_t>*>(target) ||
         std::holds_alternative<std::vector<double>*>(target) ||
         std::holds_alternative<std::vector<std::int64_t>*>(target);
}

std::string in_table(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + in_table(text) + "`"; }

std::string default_text(const Target& target, Need need) {
  return need == Need::kRequired ? "required" : value_text(target);
}

// "data.name = mnist" and "data.name = kmnist" -> "data.name = mnist or kmnist"; "" where they do not differ like that.
std::string joined_condition(const std::string& a, const std::string& b) {
  const std::size_t cut = b.rfind(" = ");
  if (cut == std::string::npos || a.compare(0, cut + 3, b, 0, cut + 3) != 0) return "";
  return a + " or " + b.substr(cut + 3);
}

}  // namespace

// A key that several values of a tag share is listed once.
void Documenter::add(KeyDoc doc) {
  for (KeyDoc& known : keys_) {
    const bool same = known.path == doc.path && known.type == doc.type && known.allowed == doc.allowed &&
                      known.default_value == doc.default_value && known.help == doc.help;
    const std::string when = same ? joined_condition(known.when, doc.when) : "";
    if (when.empty()) continue;
    known.when = when;
    return;
  }
  keys_.push_back(std::move(doc));
}

void Documenter::on_field(const Field& field) {
  KeyDoc doc;
  doc.path = prefix_ + field.key;
  doc.type = type_name(field);
  doc.default_value = default_text(field.target, field.need);
  const std::string range = is_number(field.target) ? field.range.text() : "";
  doc.allowed = range == any().text() ? "" : range;
  doc.when = when_;
  doc.help = field.help;
  if (field.choices != nullptr) doc.choices = *field.choices;
  add(std::move(doc));
}

void Documenter::on_variant(const char* key, std::string& value, const std::string& help,
                            const std::vector<Variant>& variants, Need need) {
  KeyDoc doc;
  doc.path = prefix_ + key;
  doc.type = "choice";
  doc.default_value = default_text(Target(&value), need);
  doc.when = when_;
  doc.help = help;
  for (const Variant& variant : variants) doc.choices.push_back({variant.name, variant.help});
  keys_.push_back(std::move(doc));
  const std::string outer = when_;
  for (const Variant& variant : variants) {
    if (!variant.fields) continue;
    when_ = (outer.empty() ? "" : outer + ", ") + prefix_ + key + " = " + variant.name;
    variant.fields(*this);
  }
  when_ = outer;
}

void Documenter::on_section(const char* key, const std::string& help, const std::function<void(Visitor&)>& fields) {
  keys_.push_back({prefix_ + key, "section", "", "", when_, help, {}});
  const std::string outer = std::exchange(prefix_, prefix_ + key + ".");
  fields(*this);
  prefix_ = outer;
}

void Documenter::on_list(const char* key, const std::string& help, const ListAccess& access) {
  keys_.push_back({prefix_ + key, "list of maps", access.size() == 0 ? "[]" : "", "", when_, help, {}});
  const std::string outer = std::exchange(prefix_, prefix_ + key + "[].");
  access.visit_default(*this);
  prefix_ = outer;
}

void Documenter::on_free_map(const char* key, const std::string& help, const std::function<void(const Node&)>&,
                             Need need) {
  keys_.push_back({prefix_ + key, "map", need == Need::kRequired ? "required" : "{}", "", when_, help, {}});
}

std::string Documenter::markdown() const {
  std::string text = "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const KeyDoc& doc : keys_) {
    std::string meaning = in_table(doc.help);
    for (const Choice& choice : doc.choices)
      meaning += "<br>" + code(choice.name) + (choice.help.empty() ? "" : ": " + in_table(choice.help));
    if (!doc.when.empty()) meaning += "<br>only with " + code(doc.when);
    const std::string type = doc.type + (doc.allowed.empty() ? "" : " " + doc.allowed);
    const bool required = doc.default_value == "required";
    text += "| " + code(doc.path) + " | " + in_table(type) + " | " +
            (required ? "**required**" : code(doc.default_value)) + " | " + meaning + " |\n";
  }
  return text;
}

std::string Documenter::plain_text() const {
  std::string text;
  for (const KeyDoc& doc : keys_) {
    text += doc.path + "  (" + doc.type + (doc.allowed.empty() ? "" : " " + doc.allowed);
    if (!doc.default_value.empty())
      text += ", " + std::string(doc.default_value == "required" ? "" : "default ") + doc.default_value;
    text += ")\n    " + doc.help + "\n";
    if (!doc.when.empty()) text += "    only with " + doc.when + "\n";
    for (const Choice& choice : doc.choices)
      text += "      " + choice.name + (choice.help.empty() ? "" : ": " + choice.help) + "\n";
  }
  return text;
}

}  // namespace scorevi::config
