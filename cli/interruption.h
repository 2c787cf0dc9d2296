#pragma once

#include "reelhouse/base/cancellation.h"

namespace reelhouse::cli {

/// Makes SIGINT, SIGTERM and SIGHUP ask for a clean stop instead of ending the program, where they were not ignored
/// before (`nohup`); a third signal ends it at once. SIGPIPE becomes a failure of the write.
void CatchSignals();

/// The signal that asked for a stop, 0 if none did.
int CaughtSignal();

/// Cancelled once a signal asked for a stop.
CancellationCheck InterruptionCheck();

}  // namespace reelhouse::cli
