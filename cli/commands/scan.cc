#include <memory>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/interruption.h"
#include "cli/option_groups.h"
#include "cli/row_output.h"
#include "cli/table_facts.h"
#include "reelhouse/base/memory_size.h"
#include "reelhouse/base/text.h"

namespace reelhouse::cli {

namespace {

constexpr int64_t kMostRowsOnTerminal = 50;

constexpr char kExamples[] =
    "  reelhouse scan drives --where \"episode = 7 AND reward > 0.5\" --select idx,reward,video --limit 20\n"
    "  reelhouse scan drives --where \"task LIKE 'pick%'\" --count\n"
    "  reelhouse scan drives --snapshot 3 -o drives.parquet\n"
    "  reelhouse scan drives --format jsonl | jq .task\n";

struct ScanOptions {
  std::string table;
  std::vector<std::string> where;
  std::optional<std::string> select;
  std::optional<int64_t> limit;
  bool with_row_id = false;
  VersionOptions version;
  bool count = false;
  bool explain = false;
  std::string format;
  std::string output;
};

Result<Query> QueryOf(const Table& table, const ScanOptions& options) {
  ARROW_ASSIGN_OR_RAISE(TimeTravel version, options.version.ToTimeTravel());
  Query query = table.Scan(std::move(version));
  for (const std::string& text : options.where) ARROW_RETURN_NOT_OK(query.Where(text));
  if (options.select) {
    std::vector<std::string> columns = SplitCommaList(*options.select);
    if (columns.empty()) return Status::Invalid("--select: expected column names, found nothing");
    ARROW_RETURN_NOT_OK(query.Select(std::move(columns)));
  }
  if (options.with_row_id) query.WithRowId();
  query.Limit(options.limit);
  query.SetCancellation(InterruptionCheck());
  return query;
}

/// What the user asked for, else what the file name says, else a table.
Result<RowFormat> FormatOf(const Invocation& invocation, const ScanOptions& options) {
  if (!options.format.empty()) return ParseRowFormat(options.format);
  if (!options.output.empty() && options.output != "-") {
    const std::optional<RowFormat> format = RowFormatOfFile(options.output);
    if (format) return *format;
    return Status::Invalid("-o ", QuoteForError(options.output),
                           ": the name tells no format; end it with .csv, .json, .jsonl, .parquet or .arrow, or give "
                           "--format");
  }
  return invocation.options().json ? RowFormat::kJson : RowFormat::kTable;
}

/// Rows on their way to the user.
struct WrittenRows {
  int64_t rows = 0;
  bool has_more = false;  ///< rows that were left out for a terminal
};

Result<WrittenRows> WriteRows(const Query& query, RowFormat format, const std::shared_ptr<ResultStream>& out,
                              std::optional<int64_t> most_rows) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatchReader> reader, query.ToReader());
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<RowOutput> output, MakeRowOutput(format, reader->schema(), out));
  const CancellationCheck cancelled = InterruptionCheck();
  WrittenRows written;
  while (!written.has_more) {
    ARROW_RETURN_NOT_OK(cancelled());
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (!batch) break;
    if (most_rows && batch->num_rows() > *most_rows - written.rows) {
      batch = batch->Slice(0, *most_rows - written.rows);
      written.has_more = true;
    }
    written.rows += batch->num_rows();
    ARROW_RETURN_NOT_OK(output->Write(*batch));
  }
  ARROW_RETURN_NOT_OK(output->Finish());
  return written;
}

Status ScanToFile(Invocation& invocation, const Query& query, RowFormat format, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<ResultStream> out, ResultStream::ToFile(path));
  ARROW_ASSIGN_OR_RAISE(const WrittenRows written, WriteRows(query, format, out, {}));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, out->Tell());
  ARROW_RETURN_NOT_OK(out->Finish());
  nlohmann::ordered_json json;
  json["file"] = path;
  json["rows"] = written.rows;
  json["bytes"] = bytes;
  return invocation.PrintDone(json,
                              fmt::format("{}, {} in {}", Counted(written.rows, "row"), FormatBytes(bytes), path));
}

Status ScanToOutput(Invocation& invocation, const Query& query, RowFormat format, bool has_limit) {
  const bool is_terminal = invocation.output().is_terminal();
  if (is_terminal && IsBinary(format)) {
    return Status::Invalid("this format is not for terminals: give -o FILE, or a pipe");
  }
  std::optional<int64_t> most_rows;
  if (is_terminal && format == RowFormat::kTable && !has_limit) most_rows = kMostRowsOnTerminal;
  ARROW_ASSIGN_OR_RAISE(const WrittenRows written, WriteRows(query, format, invocation.shared_output(), most_rows));
  if (written.has_more && !invocation.options().quiet) {
    const std::string note = fmt::format("(the first {}; --limit N shows N, --count counts, -o FILE takes all)\n",
                                         Counted(written.rows, "row"));
    ARROW_RETURN_NOT_OK(invocation.output().Write(note.data(), static_cast<int64_t>(note.size())));
  }
  return invocation.output().Flush();
}

Result<ExitCode> Scan(Invocation& invocation, const ScanOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const RowFormat format, FormatOf(invocation, options));
  ARROW_ASSIGN_OR_RAISE(const Table table, invocation.OpenTable(options.table));
  ARROW_ASSIGN_OR_RAISE(const Query query, QueryOf(table, options));
  nlohmann::ordered_json json;
  if (options.count) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, query.Count());
    json["count"] = count;
    ARROW_RETURN_NOT_OK(invocation.PrintResult(json, std::to_string(count)));
  } else if (options.explain) {
    ARROW_ASSIGN_OR_RAISE(const std::string text, query.Explain());
    json["explain"] = text;
    ARROW_RETURN_NOT_OK(invocation.PrintResult(json, text));
  } else if (options.output.empty() || options.output == "-") {
    ARROW_RETURN_NOT_OK(ScanToOutput(invocation, query, format, options.limit.has_value()));
  } else {
    ARROW_RETURN_NOT_OK(ScanToFile(invocation, query, format, options.output));
  }
  return ExitCode::kOk;
}

}  // namespace

void DeclareScan(CLI::App& program, CommandBody* chosen) {
  CLI::App* command = program.add_subcommand("scan", "Print rows, filtered and projected, in row-id order");
  auto options = std::make_shared<ScanOptions>();
  command->add_option("table", options->table, kTableHelp)->required()->type_name("TABLE");
  AddRepeated(*command, "--where,-w", &options->where,
              "Filter, e.g. \"episode = 7 AND task LIKE 'pick%'\"; several are ANDed")
      ->type_name("FILTER");
  command->add_option("--select,-s", options->select, "Columns, in this order")->type_name("COLUMN,...");
  command->add_option("--limit,-n", options->limit, "At most this many rows")->type_name("N");
  command->add_flag("--row-id", options->with_row_id, "Add the column _ROW_ID");
  options->version.Declare(*command);
  CLI::Option* count = command->add_flag("--count", options->count, "Print only the number of rows");
  CLI::Option* explain = command->add_flag("--explain", options->explain, "Print what would be read, and why");
  count->excludes(explain);
  command
      ->add_option("--format,-f", options->format,
                   "table (for people), csv, json (an array), jsonl, parquet, or arrow (a stream on standard output, a "
                   "file with -o)")
      ->type_name("FORMAT");
  command->add_option("--output,-o", options->output, "Write to this file; its name tells the format")
      ->type_name("FILE");
  command->footer(HelpFooter(kExamples));
  command->callback(
      [options, chosen] { *chosen = [options](Invocation& invocation) { return Scan(invocation, *options); }; });
}

}  // namespace reelhouse::cli
