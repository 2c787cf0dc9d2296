#pragma once

#include <optional>

#include "reelhouse/base/status.h"
#include "reelhouse/snapshot/snapshot.h"
#include "reelhouse/table/table_context.h"
#include "reelhouse/table/write_input.h"

namespace reelhouse {

/// Appends rows: one commit, or none if there are no rows.
Result<std::optional<Snapshot>> AddRows(const TableContext& table, const RowInputs& inputs,
                                        const WriteOptions& options);

/// Appends the rows of each video; all videos of one call share `.video` files.
Result<std::optional<Snapshot>> AddVideos(const TableContext& table, const VideoInputs& videos,
                                          const WriteOptions& options);

/// Encodes one episode straight into its `.video` files, cameras side by side.
Result<std::optional<Snapshot>> AddEpisode(const TableContext& table, EpisodeInput episode,
                                           const WriteOptions& options);

/// Encodes several episodes side by side; each worker writes runs of items into files of its own.
Result<std::optional<Snapshot>> AddEpisodes(const TableContext& table, const EpisodeInputs& episodes,
                                            const WriteOptions& options);

}  // namespace reelhouse
