#pragma once

#include <map>
#include <string>

#include "reelhouse/base/cancellation.h"
#include "reelhouse/base/status.h"
#include "reelhouse/table/append.h"
#include "reelhouse/table/write_input.h"
#include "reelhouse/write/table_writer.h"

namespace reelhouse {

/// Encodes the images of an episode, cameras side by side, straight into the files of `writer`, and writes its rows.
/// Gives their number. The cameras' names are checked before anything is encoded. Progress and cancellation are called
/// on the calling thread only.
Result<int64_t> WriteEpisode(const Append& append, TableWriter& writer, EpisodeInput episode,
                             const std::string& video_column, const ProgressCallback& progress,
                             const CancellationCheck& cancelled);

}  // namespace reelhouse
