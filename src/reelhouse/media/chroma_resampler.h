#pragma once

#include "reelhouse/media/av.h"
#include "reelhouse/media/frame_pool.h"
#include "reelhouse/media/pixel_planes.h"

namespace reelhouse {

/// How much smaller chroma is than luma, in powers of two.
ChromaShift ChromaShiftOf(AVPixelFormat format);

/// The planar 8-bit format with chroma of this size; NONE where FFmpeg has none.
AVPixelFormat PlanarFormatOf(ChromaShift shift);

/// Plane `index` of a planar 8-bit YUV, gray or packed frame; width in pixels.
Plane PlaneOf(AVFrame& frame, int index);

/// The frame with chroma planes of another size; luma is copied. Chroma is averaged or interpolated in the middle of
/// its block, as JPEG sites it.
Result<AvFrame> ResampleChroma(AVFrame& frame, ChromaShift shift, FramePool& pool);

/// Only the chroma planes of `from` to the size of those of `to`, both planar 8-bit YUV of one size.
Status ResampleChromaPlanes(AVFrame& from, AVFrame& to);

}  // namespace reelhouse
