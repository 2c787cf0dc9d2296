#include "reelhouse/media/video_encoder.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "reelhouse/base/thread_pool.h"
#include "reelhouse/media/encoder_choice.h"
#include "reelhouse/media/frame_encoder.h"
#include "reelhouse/media/image_decoder.h"
#include "reelhouse/media/picture_converter.h"
#include "reelhouse/media/video_muxer.h"

namespace reelhouse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kCheckInterval = std::chrono::milliseconds(20);
constexpr int64_t kMostCounted = 10'000'000;

Status CountMismatch(int64_t image_count, int64_t row_count) {
  return Status::Invalid(fmt::format("Image count {} does not match frame row count {}.", image_count, row_count));
}

Status InImage(int64_t position, const Status& status) { return Prefixed(fmt::format("image {}", position), status); }

/// A picture in the encoder's own format.
struct ReadyPicture {
  AvFrame frame;
  int64_t encoded_bytes = 0;
};

/// A decoder and a converter with their buffers: what one thread needs to make an image ready.
class PictureWorkshop {
 public:
  PictureWorkshop(const ImageDecoderOptions& options, const EncoderPicture& target)
      : decoder_(options), converter_(target), target_(target) {}

  Result<ReadyPicture> MakeReady(const ImageInput& image, int64_t position) {
    auto picture = decoder_.Decode(image);
    if (!picture.ok()) return InImage(position, picture.status());
    return Convert(std::move(*picture), position);
  }

  Result<ReadyPicture> Convert(UprightPicture picture, int64_t position) {
    const AVFrame& frame = *picture.frame;
    if (frame.width != target_.width || frame.height != target_.height) {
      return Status::Invalid(
          fmt::format("All images must have the same dimensions. Image {} is {}x{}, image 0 is {}x{}.", position,
                      frame.width, frame.height, target_.width, target_.height));
    }
    auto converted = converter_.Convert(std::move(picture.frame));
    if (!converted.ok()) return InImage(position, converted.status());
    return ReadyPicture{std::move(converted).ValueUnsafe(), picture.encoded_bytes};
  }

 private:
  ImageDecoder decoder_;
  PictureConverter converter_;
  EncoderPicture target_;
};

/// The line between the images that were pulled and the encoder: images wait in it, are made ready by any thread, and
/// leave it in order. Outlives the encoding for the sake of tasks of the pool that come too late.
class PictureLine {
 public:
  PictureLine(const ImageDecoderOptions& options, const EncoderPicture& target) : options_(options), target_(target) {}

  void Add(int64_t position, ImageInput image) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({position, std::move(image)});
  }

  /// Makes the next waiting image ready on this thread; false if none waits.
  bool MakeOneReady() {
    std::unique_lock lock(mutex_);
    if (is_stopped_ || waiting_.empty()) return false;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    std::unique_ptr<PictureWorkshop> workshop;
    if (!idle_workshops_.empty()) {
      workshop = std::move(idle_workshops_.back());
      idle_workshops_.pop_back();
    }
    ++running_;
    lock.unlock();
    Result<ReadyPicture> picture = Status::UnknownError("not made");
    try {
      if (!workshop) workshop = std::make_unique<PictureWorkshop>(options_, target_);
      picture = workshop->MakeReady(next.image, next.position);
    } catch (const std::exception& error) {
      picture = Status::OutOfMemory("image ", next.position, ": ", error.what());
    }
    lock.lock();
    --running_;
    ready_.emplace(next.position, std::move(picture));
    idle_workshops_.push_back(std::move(workshop));
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  void AddReady(int64_t position, ReadyPicture picture) {
    const std::lock_guard lock(mutex_);
    ready_.emplace(position, std::move(picture));
    changed_.notify_all();
  }

  /// The picture at `position`, waiting for it; null at the end; Cancelled if the line was stopped.
  Result<ReadyPicture> Take(int64_t position) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || ready_.contains(position) || position == total_; });
    if (is_stopped_) return Status::Cancelled("encoding stopped");
    if (position == total_) return ReadyPicture{};
    Result<ReadyPicture> picture = std::move(ready_.at(position));
    ready_.erase(position);
    return picture;
  }

  /// No image follows the first `total`.
  void End(int64_t total) {
    const std::lock_guard lock(mutex_);
    total_ = total;
    changed_.notify_all();
  }

  void NoteEncoded(int64_t count) {
    const std::lock_guard lock(mutex_);
    encoded_ = count;
    changed_.notify_all();
  }

  void NoteEncoderEnded() {
    const std::lock_guard lock(mutex_);
    has_encoder_ended_ = true;
    changed_.notify_all();
  }

  struct State {
    int64_t encoded = 0;
    bool has_encoder_ended = false;
  };

  State state() const {
    const std::lock_guard lock(mutex_);
    return {encoded_, has_encoder_ended_};
  }

  /// Waits a moment for more than `encoded` pictures to be encoded.
  void WaitForEncoder(int64_t encoded) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kCheckInterval,
                      [&] { return encoded_ > encoded || has_encoder_ended_ || !waiting_.empty(); });
  }

  /// Drops what waits; everybody who waits returns.
  void Stop() {
    std::deque<Waiting> dropped;
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    dropped.swap(waiting_);
    changed_.notify_all();
  }

  /// After `Stop` and the end of the encoder: no thread touches an image any more when this returns.
  void WaitUntilIdle() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_ == 0; });
    ready_.clear();
    idle_workshops_.clear();
  }

 private:
  struct Waiting {
    int64_t position = 0;
    ImageInput image;
  };

  const ImageDecoderOptions options_;
  const EncoderPicture target_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::map<int64_t, Result<ReadyPicture>> ready_;
  std::vector<std::unique_ptr<PictureWorkshop>> idle_workshops_;
  int running_ = 0;
  int64_t encoded_ = 0;
  int64_t total_ = -1;
  bool has_encoder_ended_ = false;
  bool is_stopped_ = false;
};

/// The encoder's side: takes ready pictures in order and writes the file, on a thread of its own.
class EncoderSide {
 public:
  EncoderSide(std::unique_ptr<FrameEncoder> encoder, const EncoderChoice& choice, PictureLine& line, VideoSink& sink)
      : encoder_(std::move(encoder)), container_(choice.container), line_(line), sink_(sink) {}

  void Run() {
    try {
      status_ = Encode();
    } catch (const std::exception& error) {
      status_ = Status::OutOfMemory("encoder: ", error.what());
    }
    line_.NoteEncoderEnded();
  }

  /// After the thread has ended.
  const Status& status() const { return status_; }
  EncodedVideo& video() { return video_; }

 private:
  Status Encode() {
    packet_.reset(av_packet_alloc());
    if (!packet_) return Status::OutOfMemory("encoder");
    for (int64_t position = 0;; ++position) {
      ARROW_ASSIGN_OR_RAISE(ReadyPicture picture, line_.Take(position));
      // The header is written only when the first picture went through everything that can refuse it.
      if (!muxer_) {
        ARROW_ASSIGN_OR_RAISE(muxer_, VideoMuxer::Start(container_.c_str(), encoder_->context(), sink_));
      }
      if (!picture.frame) break;
      picture.frame->pts = position;
      ARROW_RETURN_NOT_OK(encoder_->Send(picture.frame.get()));
      ARROW_RETURN_NOT_OK(WritePackets());
      video_.image_bytes += picture.encoded_bytes;
      video_.frame_count = position + 1;
      line_.NoteEncoded(position + 1);
    }
    ARROW_RETURN_NOT_OK(encoder_->Send(nullptr));
    ARROW_RETURN_NOT_OK(WritePackets());
    if (packet_count_ != video_.frame_count) {
      return Status::Invalid("encoder ", encoder_->context().codec->name, " made ", packet_count_, " pictures of ",
                             video_.frame_count, " images; with these options it drops or adds some");
    }
    ARROW_RETURN_NOT_OK(muxer_->Finish());
    video_.length_bytes = muxer_->length_bytes();
    video_.width = encoder_->picture().width;
    video_.height = encoder_->picture().height;
    video_.index = muxer_->TakeIndex();
    return Status::OK();
  }

  Status WritePackets() {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const bool has_packet, encoder_->Receive(packet_.get()));
      if (!has_packet) return Status::OK();
      ARROW_RETURN_NOT_OK(muxer_->Write(packet_.get()));
      ++packet_count_;
    }
  }

  std::unique_ptr<FrameEncoder> encoder_;
  const std::string container_;
  PictureLine& line_;
  VideoSink& sink_;
  std::unique_ptr<VideoMuxer> muxer_;
  AvPacket packet_;
  int64_t packet_count_ = 0;
  EncodedVideo video_;
  Status status_;
};

/// The calling thread's side of one encoding: pulls images, helps to decode, asks for cancellation, tells progress.
class Encoding {
 public:
  Encoding(ImageSource& source, const EncodingOptions& options, int64_t expected_count, VideoSink& sink,
           const ProgressCallback& progress, const CancellationCheck& cancelled)
      : source_(source),
        options_(options),
        expected_count_(expected_count),
        sink_(sink),
        progress_(progress),
        cancelled_(cancelled) {}

  Result<EncodedVideo> Run() {
    ARROW_RETURN_NOT_OK(options_.Validate());
    ARROW_RETURN_NOT_OK(CheckSizeHint());
    ARROW_RETURN_NOT_OK(CheckCancelled());
    ARROW_ASSIGN_OR_RAISE(std::optional<ImageInput> first, source_.Next());
    if (!first) return Status::Invalid("images must contain at least one frame.");
    if (expected_count_ == 0) return FailTooMany(1);

    ImageDecoderOptions decoding;
    decoding.apply_orientation = options_.apply_orientation;
    decoding.background = options_.background;
    if (options_.max_image_pixels) decoding.max_pixels = *options_.max_image_pixels;
    decoding.wants_rgb = WantsRgb(options_);
    ImageDecoder decoder(decoding);
    auto picture = decoder.Decode(*first);
    if (!picture.ok()) return InImage(0, picture.status());
    auto chosen = ChooseEncoder(options_, picture->kind());
    if (!chosen.ok()) return InImage(0, chosen.status());
    const EncoderChoice& choice = *chosen;
    const int width = picture->frame->width;
    const int height = picture->frame->height;
    ARROW_ASSIGN_OR_RAISE(auto encoder, FrameEncoder::Open(options_, choice, width, height));
    ARROW_RETURN_NOT_OK(CheckCancelled());

    const EncoderPicture target = encoder->picture();
    line_ = std::make_shared<PictureLine>(decoding, target);
    PictureWorkshop workshop(decoding, target);
    ARROW_ASSIGN_OR_RAISE(ReadyPicture ready, workshop.Convert(std::move(*picture), 0));
    line_->AddReady(0, std::move(ready));
    pulled_ = 1;
    return RunWith(EncoderSide(std::move(encoder), choice, *line_, sink_));
  }

 private:
  Result<EncodedVideo> RunWith(EncoderSide encoder) {
    std::thread thread;
    try {
      thread = std::thread([&encoder] { encoder.Run(); });
    } catch (const std::system_error& error) {
      return Status::IOError("a thread for the encoder could not be started: ", error.what());
    }
    const Status status = Drive();
    line_->Stop();
    thread.join();
    line_->WaitUntilIdle();
    // What the encoder met came first, since it works behind the calling thread; a stop is only an echo.
    if (!encoder.status().ok() && !encoder.status().IsCancelled()) return encoder.status();
    ARROW_RETURN_NOT_OK(status);
    ARROW_RETURN_NOT_OK(encoder.status());
    return std::move(encoder.video());
  }

  /// Until everything is encoded, or something failed.
  Status Drive() {
    ThreadPool& pool = ThreadPool::OfProcess();
    const int64_t look_ahead = 2 * int64_t{ThreadsOfProcess()} + 2;
    bool has_ended = false;
    while (true) {
      const PictureLine::State state = line_->state();
      TellProgress(state.encoded);
      if (state.has_encoder_ended) return Status::OK();
      ARROW_RETURN_NOT_OK(CheckCancelled());
      if (!has_ended && pulled_ - state.encoded < look_ahead) {
        ARROW_ASSIGN_OR_RAISE(std::optional<ImageInput> image, source_.Next());
        if (image && pulled_ == expected_count_) return FailTooMany(pulled_ + 1);
        if (image) {
          line_->Add(pulled_++, std::move(*image));
          pool.Submit([line = line_] { line->MakeOneReady(); });
        } else {
          if (expected_count_ >= 0 && pulled_ != expected_count_) return CountMismatch(pulled_, expected_count_);
          line_->End(pulled_);
          has_ended = true;
        }
        continue;
      }
      // Helping keeps the work going even where all threads of the pool are taken, by other encodings for example.
      if (!line_->MakeOneReady()) line_->WaitForEncoder(state.encoded);
    }
  }

  Status CheckSizeHint() const {
    const int64_t hint = source_.size_hint();
    if (hint > 0 && expected_count_ >= 0 && hint != expected_count_) return CountMismatch(hint, expected_count_);
    return Status::OK();
  }

  /// There are more images than rows: the text names how many, so the rest is pulled, but not decoded.
  Status FailTooMany(int64_t pulled) {
    int64_t count = pulled;
    while (count < kMostCounted) {
      ARROW_RETURN_NOT_OK(CheckCancelled());
      ARROW_ASSIGN_OR_RAISE(const std::optional<ImageInput> image, source_.Next());
      if (!image) break;
      ++count;
    }
    return CountMismatch(count, expected_count_);
  }

  Status CheckCancelled() {
    if (!cancelled_) return Status::OK();
    const Clock::time_point now = Clock::now();
    if (now < next_check_) return Status::OK();
    next_check_ = now + kCheckInterval;
    return cancelled_();
  }

  void TellProgress(int64_t encoded) {
    if (!progress_ || encoded == told_) return;
    told_ = encoded;
    progress_(encoded, expected_count_ >= 0 ? expected_count_ : source_.size_hint());
  }

  ImageSource& source_;
  const EncodingOptions& options_;
  const int64_t expected_count_;
  VideoSink& sink_;
  const ProgressCallback& progress_;
  const CancellationCheck& cancelled_;
  std::shared_ptr<PictureLine> line_;
  int64_t pulled_ = 0;
  int64_t told_ = 0;
  Clock::time_point next_check_{};
};

}  // namespace

Result<EncodedVideo> EncodeImages(ImageSource& source, const EncodingOptions& options, int64_t expected_count,
                                  VideoSink& sink, const ProgressCallback& progress,
                                  const CancellationCheck& cancelled) {
  return Encoding(source, options, expected_count, sink, progress, cancelled).Run();
}

}  // namespace reelhouse
