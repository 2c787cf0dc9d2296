#pragma once

/// The public C++ API: open a warehouse, write videos and rows, scan, read frames. See examples/ and docs/guide.
///
/// Everything is in namespace `reelhouse`; failures are `arrow::Status` (base/status.h names the kinds to branch on).
#include "reelhouse/table/connection.h"  // IWYU pragma: export
#include "reelhouse/table/query.h"       // IWYU pragma: export
#include "reelhouse/table/table.h"       // IWYU pragma: export
#include "reelhouse/version.h"           // IWYU pragma: export
