#pragma once

#include "reelhouse/base/status.h"
#include "reelhouse/schema/options.h"

namespace reelhouse {

/// Refuses options that Reelhouse knows and whose value it cannot use, naming the key, the value and what is expected.
/// Unknown keys pass: they belong to other engines. For the door of table creation and alteration, so that a slip shows
/// before rows are written; stored tables are opened without this check.
Status ValidateKnownOptions(const Options& options);

}  // namespace reelhouse
