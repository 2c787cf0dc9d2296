#pragma once

#include <string>

#include "reelhouse/base/status.h"
#include "reelhouse/media/frame_decoder.h"

namespace reelhouse {

/// A decoded RGB24 or gray picture as a complete PNG file. `kStored`: as the frame is.
Result<std::shared_ptr<arrow::Buffer>> EncodePng(const DecodedFrame& frame, FrameFormat::Pixels pixels);

/// A decoded RGB24 picture as a complete JPEG file.
Result<std::shared_ptr<arrow::Buffer>> EncodeJpeg(const DecodedFrame& frame, int quality = 90);

}  // namespace reelhouse
