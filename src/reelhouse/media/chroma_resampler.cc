#include "reelhouse/media/chroma_resampler.h"

#include <utility>
#include <vector>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelhouse {
namespace {

int Shifted(int size, int shift) { return (size + (1 << shift) - 1) >> shift; }

/// A plane with its own pixels.
struct OwnedPlane {
  std::vector<uint8_t> pixels;
  Plane plane;

  OwnedPlane(int width, int height) : pixels(static_cast<size_t>(width) * height) {
    plane = {pixels.data(), width, width, height};
  }
};

/// One plane in steps of two along one axis each.
void ResamplePlane(ConstPlane from, Plane to, ChromaShift from_shift, ChromaShift to_shift, int width, int height) {
  OwnedPlane held(0, 0);
  while (true) {
    ChromaShift next = from_shift;
    void (*step)(ConstPlane, Plane) = nullptr;
    // Shrinking comes first: less to do after it.
    if (from_shift.columns < to_shift.columns) {
      ++next.columns;
      step = HalveColumns;
    } else if (from_shift.rows < to_shift.rows) {
      ++next.rows;
      step = HalveRows;
    } else if (from_shift.columns > to_shift.columns) {
      --next.columns;
      step = DoubleColumns;
    } else if (from_shift.rows > to_shift.rows) {
      --next.rows;
      step = DoubleRows;
    } else {
      return CopyPlane(from, to);
    }
    if (next.columns == to_shift.columns && next.rows == to_shift.rows) return step(from, to);
    OwnedPlane made(Shifted(width, next.columns), Shifted(height, next.rows));
    step(from, made.plane);
    held = std::move(made);
    from = held.plane;
    from_shift = next;
  }
}

}  // namespace

ChromaShift ChromaShiftOf(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  return {.columns = description->log2_chroma_w, .rows = description->log2_chroma_h};
}

AVPixelFormat PlanarFormatOf(ChromaShift shift) {
  constexpr AVPixelFormat kFormats[3][3] = {
      {AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV440P, AV_PIX_FMT_NONE},
      {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_NONE},
      {AV_PIX_FMT_YUV411P, AV_PIX_FMT_NONE, AV_PIX_FMT_YUV410P},
  };
  const bool is_known = shift.columns >= 0 && shift.columns <= 2 && shift.rows >= 0 && shift.rows <= 2;
  return is_known ? kFormats[shift.columns][shift.rows] : AV_PIX_FMT_NONE;
}

Plane PlaneOf(AVFrame& frame, int index) {
  const ChromaShift shift = index == 0 ? ChromaShift{} : ChromaShiftOf(static_cast<AVPixelFormat>(frame.format));
  return {frame.data[index], frame.linesize[index], Shifted(frame.width, shift.columns),
          Shifted(frame.height, shift.rows)};
}

Status ResampleChromaPlanes(AVFrame& from, AVFrame& to) {
  const ChromaShift from_shift = ChromaShiftOf(static_cast<AVPixelFormat>(from.format));
  const ChromaShift to_shift = ChromaShiftOf(static_cast<AVPixelFormat>(to.format));
  for (int i = 1; i < 3; ++i) {
    ResamplePlane(PlaneOf(from, i), PlaneOf(to, i), from_shift, to_shift, from.width, from.height);
  }
  return Status::OK();
}

Result<AvFrame> ResampleChroma(AVFrame& frame, ChromaShift shift, FramePool& pool) {
  const AVPixelFormat format = PlanarFormatOf(shift);
  if (format == AV_PIX_FMT_NONE) return Status::Invalid("chroma of 1/", 1 << shift.columns, " by 1/", 1 << shift.rows);
  ARROW_ASSIGN_OR_RAISE(AvFrame made, pool.Get(format, frame.width, frame.height));
  made->color_range = frame.color_range;
  CopyPlane(PlaneOf(frame, 0), PlaneOf(*made, 0));
  ARROW_RETURN_NOT_OK(ResampleChromaPlanes(frame, *made));
  return made;
}

}  // namespace reelhouse
