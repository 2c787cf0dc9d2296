#include "reelhouse/media/jpeg_decoder.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

// libjpeg's headers expect these to be known.
#include <jerror.h>
#include <jpeglib.h>

namespace reelhouse {
namespace {

/// A file with more scans only burns time.
constexpr int kMaxScans = 500;

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  int error_code = 0;
  int damage_code = 0;
  char text[JMSG_LENGTH_MAX];
};

void EscapeWithError(j_common_ptr common) {
  auto* errors = reinterpret_cast<JpegErrors*>(common->err);
  errors->error_code = errors->base.msg_code;
  errors->base.format_message(common, errors->text);
  std::longjmp(errors->escape, 1);
}

/// Warnings that say nothing about missing picture data.
bool IsHarmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_ADOBE_XFORM || warning == JWRN_JFIF_MAJOR;
}

void NoteWarning(j_common_ptr common, int level) {
  auto* errors = reinterpret_cast<JpegErrors*>(common->err);
  if (level >= 0 || IsHarmless(errors->base.msg_code) || errors->damage_code != 0) return;
  errors->damage_code = errors->base.msg_code;
  errors->base.format_message(common, errors->text);
}

void StayQuiet(j_common_ptr) {}

void RefuseEndlessScans(j_common_ptr common) {
  if (!common->is_decompressor) return;
  auto* jpeg = reinterpret_cast<j_decompress_ptr>(common);
  if (jpeg->input_scan_number > kMaxScans) ERREXIT(jpeg, JERR_BAD_PROGRESSION);
}

int DivideUp(int value, int divisor) { return (value + divisor - 1) / divisor; }

/// The planar format of a YCbCr file, or NONE where the sampling factors are none of the usual.
AVPixelFormat PlanarFormat(const jpeg_decompress_struct& jpeg) {
  if (jpeg.jpeg_color_space != JCS_YCbCr || jpeg.num_components != 3) return AV_PIX_FMT_NONE;
  const jpeg_component_info* parts = jpeg.comp_info;
  const int h = parts[0].h_samp_factor;
  const int v = parts[0].v_samp_factor;
  const int chroma_h = parts[1].h_samp_factor;
  const int chroma_v = parts[1].v_samp_factor;
  const bool is_regular = h == jpeg.max_h_samp_factor && v == jpeg.max_v_samp_factor &&
                          parts[2].h_samp_factor == chroma_h && parts[2].v_samp_factor == chroma_v &&
                          h % chroma_h == 0 && v % chroma_v == 0;
  if (!is_regular) return AV_PIX_FMT_NONE;
  switch (h / chroma_h * 10 + v / chroma_v) {
    case 11:
      return AV_PIX_FMT_YUV444P;
    case 21:
      return AV_PIX_FMT_YUV422P;
    case 12:
      return AV_PIX_FMT_YUV440P;
    case 22:
      return AV_PIX_FMT_YUV420P;
    case 41:
      return AV_PIX_FMT_YUV411P;
    default:
      return AV_PIX_FMT_NONE;
  }
}

/// CMYK as it lies in JPEG files: 255 = no ink. Adobe's marker says so; the files without it come from the same writers
/// with the marker stripped, and every common reader takes them so too.
void RgbFromInvertedCmyk(const uint8_t* cmyk, uint8_t* rgb, int width) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int i = 0; i < 3; ++i) rgb[i] = static_cast<uint8_t>((cmyk[i] * cmyk[3] + 127) / 255);
  }
}

}  // namespace

struct JpegDecoder::Engine {
  jpeg_decompress_struct jpeg;
  JpegErrors errors;
  jpeg_progress_mgr progress;
  bool is_made = false;
  std::vector<uint8_t> cmyk_row;

  // Errors of libjpeg leave these functions by longjmp: nothing with a destructor may live in them.
  bool Make();
  bool ReadHeader(const uint8_t* bytes, size_t size);
  bool DecodePlanes(AVFrame* frame);
  bool DecodeRows(AVFrame* frame, J_COLOR_SPACE space);

  Status Failure() const {
    const bool is_unsupported = errors.error_code == JERR_SOF_UNSUPPORTED || errors.error_code == JERR_BAD_PRECISION ||
                                errors.error_code == JERR_ARITH_NOTIMPL || errors.error_code == JERR_CONVERSION_NOTIMPL;
    const std::string text = std::string("JPEG: ") + errors.text;
    if (is_unsupported) return Status::NotImplemented(text);
    return Status::Invalid(errors.damage_code != 0 && errors.error_code == 0 ? "damaged or cut " : "", text);
  }
};

bool JpegDecoder::Engine::Make() {
  jpeg.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = EscapeWithError;
  errors.base.emit_message = NoteWarning;
  errors.base.output_message = StayQuiet;
  if (setjmp(errors.escape)) return false;
  jpeg_create_decompress(&jpeg);
  progress.progress_monitor = RefuseEndlessScans;
  jpeg.progress = &progress;
  is_made = true;
  return true;
}

bool JpegDecoder::Engine::ReadHeader(const uint8_t* bytes, size_t size) {
  if (setjmp(errors.escape)) return false;
  jpeg_mem_src(&jpeg, bytes, static_cast<unsigned long>(size));
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

bool JpegDecoder::Engine::DecodePlanes(AVFrame* frame) {
  constexpr int kMaxRows = MAX_SAMP_FACTOR * DCTSIZE;
  JSAMPROW rows[3][kMaxRows];
  JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
  if (setjmp(errors.escape)) return false;
  jpeg.raw_data_out = TRUE;
  jpeg.do_fancy_upsampling = FALSE;
  jpeg.out_color_space = JCS_YCbCr;
  jpeg_start_decompress(&jpeg);
  const int step = jpeg.max_v_samp_factor * DCTSIZE;
  while (jpeg.output_scanline < jpeg.output_height) {
    const int first_line = static_cast<int>(jpeg.output_scanline);
    for (int i = 0; i < 3; ++i) {
      const int count = jpeg.comp_info[i].v_samp_factor * DCTSIZE;
      const int first_row = first_line / jpeg.max_v_samp_factor * jpeg.comp_info[i].v_samp_factor;
      const int last_row = static_cast<int>(jpeg.comp_info[i].height_in_blocks) * DCTSIZE - 1;
      for (int row = 0; row < count; ++row) {
        rows[i][row] =
            frame->data[i] + static_cast<ptrdiff_t>(frame->linesize[i]) * std::min(first_row + row, last_row);
      }
    }
    jpeg_read_raw_data(&jpeg, planes, static_cast<JDIMENSION>(step));
  }
  return true;
}

bool JpegDecoder::Engine::DecodeRows(AVFrame* frame, J_COLOR_SPACE space) {
  if (setjmp(errors.escape)) return false;
  jpeg.raw_data_out = FALSE;
  jpeg.do_fancy_upsampling = TRUE;
  jpeg.out_color_space = space;
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    uint8_t* out = frame->data[0] + static_cast<ptrdiff_t>(frame->linesize[0]) * jpeg.output_scanline;
    JSAMPROW row = space == JCS_CMYK ? cmyk_row.data() : out;
    jpeg_read_scanlines(&jpeg, &row, 1);
    if (space == JCS_CMYK) RgbFromInvertedCmyk(row, out, frame->width);
  }
  return true;
}

JpegDecoder::JpegDecoder() : engine_(std::make_unique<Engine>()) { engine_->Make(); }

JpegDecoder::~JpegDecoder() {
  if (engine_->is_made) jpeg_destroy_decompress(&engine_->jpeg);
}

bool JpegDecoder::IsJpeg(std::span<const uint8_t> bytes) {
  return bytes.size() >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

Result<AvFrame> JpegDecoder::Decode(std::span<const uint8_t> bytes, bool wants_rgb, FramePool& pool,
                                    int64_t max_pixels) {
  if (!engine_->is_made) return Status::OutOfMemory("JPEG decoder");
  Engine& engine = *engine_;
  jpeg_decompress_struct& jpeg = engine.jpeg;
  engine.errors.error_code = engine.errors.damage_code = 0;
  // Whatever way this call is left, the next one starts from an idle decoder.
  struct Abort {
    jpeg_decompress_struct* jpeg;
    ~Abort() { jpeg_abort_decompress(jpeg); }
  } abort{&jpeg};

  if (!engine.ReadHeader(bytes.data(), bytes.size())) return engine.Failure();
  const int width = static_cast<int>(jpeg.image_width);
  const int height = static_cast<int>(jpeg.image_height);
  ARROW_RETURN_NOT_OK(CheckPixelCount(width, height, max_pixels, kImageMaxPixelsOption));
  ARROW_RETURN_NOT_OK(CheckPictureSize(width, height));

  const AVPixelFormat planar = wants_rgb ? AV_PIX_FMT_NONE : PlanarFormat(jpeg);
  const bool is_gray = jpeg.jpeg_color_space == JCS_GRAYSCALE;
  const bool is_cmyk = jpeg.num_components == 4;
  if (!is_gray && !is_cmyk && jpeg.num_components != 3) {
    return Status::Invalid("JPEG with ", jpeg.num_components, " components is neither gray, colour nor CMYK");
  }
  const AVPixelFormat format = planar != AV_PIX_FMT_NONE ? planar : is_gray ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
  ARROW_ASSIGN_OR_RAISE(AvFrame frame, pool.Get(format, width, height));
  frame->color_range = AVCOL_RANGE_JPEG;
  bool is_decoded = false;
  if (planar != AV_PIX_FMT_NONE) {
    for (int i = 0; i < 3; ++i) {
      const int row_bytes =
          DivideUp(width * jpeg.comp_info[i].h_samp_factor, jpeg.max_h_samp_factor * DCTSIZE) * DCTSIZE;
      if (row_bytes > frame->linesize[i]) return Status::UnknownError("JPEG rows do not fit their buffer");
    }
    is_decoded = engine.DecodePlanes(frame.get());
  } else {
    if (is_cmyk) engine.cmyk_row.resize(static_cast<size_t>(width) * 4);
    is_decoded = engine.DecodeRows(frame.get(), is_gray ? JCS_GRAYSCALE : is_cmyk ? JCS_CMYK : JCS_RGB);
  }
  if (!is_decoded || engine.errors.damage_code != 0) return engine.Failure();
  return frame;
}

}  // namespace reelhouse
