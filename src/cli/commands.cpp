#include "commands.h"

#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "scorevi/bench/bench.h"
#include "scorevi/run/commands.h"

namespace scorevi::cli {
namespace {

const CLI::Range kPositive(1, 1'000'000'000, "POSITIVE");
// An unset variable of a shell script, mostly: --out "$DIR".
const CLI::Validator kNotEmpty([](std::string& text) { return text.empty() ? "got \"\", expected a path" : ""; }, "");

void add_overrides(CLI::App& sub, std::vector<std::string>& overrides) {
  sub.add_option("-s,--set", overrides, "override a key, for example -s optimizer.lr=3e-4; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_train(CLI::App& app, const Globals& globals, std::function<int()>& command) {
  auto request = std::make_shared<run::TrainRequest>();
  CLI::App* sub = app.add_subcommand("train", "Train a Bayesian network from a YAML configuration");
  sub->add_option("CONFIG", request->config, "configuration; may be left out with --resume DIR");
  add_overrides(*sub, request->overrides);
  sub->add_option("--resume", request->resume, "go on with a run: its folder, or auto for the newest unfinished one")
      ->type_name("DIR|auto")
      ->check(kNotEmpty);
  sub->add_option("--out", request->out, "exact run folder instead of runs/<name>-<time>")
      ->type_name("DIR")
      ->check(kNotEmpty);
  sub->add_option("--limit-batches", request->limit_batches, "use only N batches per epoch (smoke runs)")
      ->type_name("N")
      ->check(kPositive);
  sub->add_option("--max-steps", request->max_steps, "stop cleanly after N steps; go on later with --resume")
      ->type_name("N")
      ->check(kPositive);
  sub->add_flag("--dry-run", request->dry_run, "check everything and build the network, but do not train");
  sub->callback([request, &globals, &command] {
    command = [request, &globals] {
      request->progress = !globals.no_progress;
      return run::train(*request, std::cout);
    };
  });
}

void add_sweep(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::SweepRequest>();
  CLI::App* sub = app.add_subcommand("sweep", "Train a grid of runs and compare them; finished runs are skipped");
  sub->add_option("SWEEP", request->sweep, "sweep file")->required();
  add_overrides(*sub, request->overrides);
  sub->add_option("--out", request->out, "folder of the sweep instead of runs/<name>")
      ->type_name("DIR")
      ->check(kNotEmpty);
  sub->add_option("-j,--jobs", request->jobs, "runs at the same time")->type_name("N")->check(kPositive);
  sub->add_flag("--redo", request->redo, "delete and run again what was made with another configuration");
  sub->callback([request, &command] { command = [request] { return run::sweep(*request, std::cout); }; });
}

void add_bench(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<bench::BenchRequest>();
  auto keys = std::make_shared<bool>(false);
  CLI::App* sub =
      app.add_subcommand("bench", "Compare inference methods on targets with known answers; finished members are kept");
  CLI::Option* config = sub->add_option("CONFIG", request->config, "bench file, see configs/targets");
  add_overrides(*sub, request->overrides);
  sub->add_option("--out", request->out, "folder of the results instead of runs/<name>")
      ->type_name("DIR")
      ->check(kNotEmpty);
  sub->add_option("-j,--jobs", request->jobs, "members at the same time")->type_name("N")->check(kPositive);
  sub->add_flag("--redo", request->redo, "make members again that were made with another configuration");
  sub->add_flag("--check", request->check_only,
                "read the file and its targets, say how many members there are, and stop");
  sub->add_flag("--keys", *keys, "only print all keys of bench files, as a Markdown table")->excludes(config);
  sub->callback([request, keys, config, &command] {
    if (!*keys && config->empty()) throw CLI::RequiredError("CONFIG");
    command = [request, keys] {
      if (!*keys) return bench::run_bench(*request, std::cout);
      std::cout << bench::bench_key_reference_markdown();
      return 0;
    };
  });
}

void add_evaluate(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::EvaluateRequest>();
  CLI::App* sub = app.add_subcommand("evaluate", "The numbers of a finished run on any split or data set");
  sub->add_option("RUN", request->run, "run folder")->required();
  sub->add_option("--split", request->split, "train, validation or test")
      ->capture_default_str()
      ->check(CLI::IsMember({"train", "validation", "test"}));
  sub->add_option("--data", request->data,
                  "other data: a CSV table with its targets (-s data.target=NAME where they are called otherwise), a "
                  "folder of pictures with one folder per class, or a configuration (.yaml) whose data section is used "
                  "instead")
      ->type_name("FILE|DIR|CONFIG")
      ->check(kNotEmpty);
  sub->add_option(
         "--ood", request->ood,
         "folder of pictures, or configuration, of other things: how well uncertainty tells them from the run's")
      ->type_name("DIR|CONFIG")
      ->check(kNotEmpty)
      ->excludes("--data");
  add_overrides(*sub, request->overrides);
  sub->callback([request, &command] { command = [request] { return run::evaluate(*request, std::cout); }; });
}

void add_predict(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::PredictRequest>();
  CLI::App* sub = app.add_subcommand("predict", "Predict new rows or pictures: class, probabilities, uncertainty");
  sub->footer(
      "Columns for classes: file, row (in the file, from 1), predicted, confidence, entropy and mutual_information in\n"
      "nats (the second is the part that comes from not knowing the weights), second, third, p_<class> ...\n"
      "Columns for numbers: file, row, output (from 0), mean, std (of the prediction, noise included), lower and\n"
      "upper (5 % and 95 % quantiles), in the units of the data; one line for each row and output.");
  sub->add_option("RUN", request->run, "run folder")->required();
  sub->add_option("INPUTS", request->inputs, "CSV or idx files; pictures or folders of them")->required();
  sub->add_option("--out", request->out, "CSV file instead of stdout")->type_name("FILE")->check(kNotEmpty);
  sub->add_option("--sheet", request->sheet, "HTML page with the most uncertain pictures")
      ->type_name("FILE")
      ->check(kNotEmpty);
  add_overrides(*sub, request->overrides);
  sub->callback([request, &command] { command = [request] { return run::predict(*request, std::cout); }; });
}

void add_report(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::ReportRequest>();
  CLI::App* sub = app.add_subcommand("report", "Compare runs: Markdown, CSV and HTML with plots");
  sub->add_option("RUN", request->runs, "run folders")->required();
  sub->add_option("--baseline", request->baseline, "row that paired differences are taken against")->type_name("ROW");
  sub->add_option("--out", request->out, "folder for table.md, results.csv and report.html")
      ->type_name("DIR")
      ->check(kNotEmpty);
  sub->callback([request, &command] { command = [request] { return run::report(*request, std::cout); }; });
}

void add_check(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::CheckRequest>();
  CLI::App* sub = app.add_subcommand("check", "Everything that can be wrong, found before any training");
  sub->add_option("CONFIG", request->config, "configuration")->required();
  add_overrides(*sub, request->overrides);
  sub->callback([request, &command] { command = [request] { return run::check(*request, std::cout); }; });
}

void add_inspect(CLI::App& app, std::function<int()>& command) {
  auto request = std::make_shared<run::InspectRequest>();
  CLI::App* sub = app.add_subcommand("inspect", "What is in weight files and pictures, or why a file is refused");
  sub->add_option("FILE", request->files,
                  "safetensors, files of torch.save, pictures; or a name of `scorevi list weights`")
      ->required();
  sub->add_flag("--json", request->json, "one line of JSON for each file");
  sub->add_option("--decode", request->decode, "write each picture as PNG into this folder")->type_name("DIR");
  sub->callback([request, &command] { command = [request] { return run::inspect(*request, std::cout); }; });
}

void add_list(CLI::App& app, std::function<int()>& command) {
  auto what = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand(
      "list",
      "What there is: models, weights, datasets, methods, optimizers, schedules, families, targets, posteriors, keys");
  sub->add_option("WHAT", *what, "one of the above")->required()->check(CLI::IsMember(run::list_kinds()));
  sub->callback([what, &command] { command = [what] { return run::list(*what, std::cout); }; });
}

void add_info(CLI::App& app, std::function<int()>& command) {
  CLI::App* sub = app.add_subcommand("info", "Build, libraries, processor, CUDA");
  sub->callback([&command] { command = [] { return run::info(std::cout); }; });
}

}  // namespace

void add_commands(CLI::App& app, const Globals& globals, std::function<int()>& command) {
  add_train(app, globals, command);
  add_sweep(app, command);
  add_bench(app, command);
  add_evaluate(app, command);
  add_predict(app, command);
  add_report(app, command);
  add_check(app, command);
  add_inspect(app, command);
  add_list(app, command);
  add_info(app, command);
}

}  // namespace scorevi::cli
