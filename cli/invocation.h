#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cli/exit_code.h"
#include "cli/progress_bar.h"
#include "cli/result_stream.h"
#include "reelhouse/reelhouse.h"

namespace reelhouse::cli {

/// Options that every command takes.
struct GlobalOptions {
  std::string warehouse;
  std::string database = "default";
  bool json = false;
  bool quiet = false;
  bool no_fsync = false;
};

/// Where a table lies, from what the user called it.
struct TableAddress {
  std::string warehouse;
  std::string name;  ///< `table` or `database.table`

  /// `table`, `database.table`, or the path of a table's folder `WAREHOUSE/database.db/table`.
  static Result<TableAddress> Parse(const std::string& text, const std::string& warehouse);
};

/// One call of the program: its global options, the warehouse behind them, and where its results go.
class Invocation {
 public:
  explicit Invocation(GlobalOptions options);

  const GlobalOptions& options() const { return options_; }
  ResultStream& output() { return *output_; }
  const std::shared_ptr<ResultStream>& shared_output() const { return output_; }

  /// The warehouse, which must be there unless `may_be_new`.
  Result<std::shared_ptr<Connection>> Connect(const std::string& warehouse, bool may_be_new = false) const;
  /// Refuses unknown tables with the nearest name.
  Result<Table> OpenTable(const std::string& text) const;

  /// `json` with --json, else `text`.
  Status PrintResult(const nlohmann::ordered_json& json, std::string_view text);
  /// The same where `text` only says that something is done: silent with --quiet.
  Status PrintDone(const nlohmann::ordered_json& json, std::string_view text);

  /// A bar where somebody looks at it, else nothing; give `CallbackOf` of it to the work.
  std::unique_ptr<ProgressBar> MakeProgressBar(std::string unit) const;
  static ProgressCallback CallbackOf(ProgressBar* bar);

 private:
  const GlobalOptions options_;
  std::shared_ptr<ResultStream> output_;
};

/// The text of a JSON value on one line; bytes that are not UTF-8 are replaced.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace reelhouse::cli
