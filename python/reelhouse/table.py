"""Tables: `MultimodalTable` and the part of Paimon's raw table that users touch."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any, BinaryIO

import pyarrow as pa

from . import _reelhouse
from ._images import DEFAULT_CODEC, camera_streams, size_hint
from ._progress import progress_callback
from ._rows import rows_from, rows_of_batch
from .blob import Blob, BlobData, BlobDescriptor, BlobRef, VideoFrameDescriptor, local_path
from .query import ScanQuery

__all__ = ["FileIO", "MultimodalTable", "RawTable", "SnapshotManager", "VerifyReport"]


class MultimodalTable:
    """A table of rows, blobs and video columns. Not pinned to a version: every call works on the newest snapshot.

    Every writing call is one commit, or none where there are no rows, and returns the table for chaining. Safe from
    several threads.
    """

    def __init__(self, native: _reelhouse.Table) -> None:
        self._native = native

    @property
    def identifier(self) -> str:
        """``database.table``."""
        return self._native.identifier

    @property
    def name(self) -> str:
        """``database.table``, the same text as `identifier`."""
        return self._native.identifier

    @property
    def schema(self) -> pa.Schema:
        """The newest columns as Arrow; BLOB and video columns are ``large_binary``."""
        return pa.schema(_SchemaCapsule(self._native.schema()))

    @property
    def raw_table(self) -> RawTable:
        """Snapshots, tags, options and paths of the table."""
        return RawTable(self._native)

    table = raw_table

    # rows in

    def add(self, data: Any, *, properties: Mapping[str, str] | None = None) -> MultimodalTable:
        """Appends rows.

        Args:
            data: A pyarrow, polars or pandas table, any other producer of Arrow's PyCapsule interface, a dict of
                columns, or an iterable of mappings. Columns are matched by name and cast safely; missing ones are NULL.
                Cells of BLOB columns may be bytes, `Blob`, `BlobDescriptor` or None.
            properties: Stored in the snapshot.

        Raises:
            ValueError: A column is unknown, a value does not fit, or a NULL stands in a NOT NULL column.
        """
        self._native.add(rows_from(data, self.schema), properties=dict(properties or {}))
        return self

    def add_batches(self, batches: Iterable[Any], *, properties: Mapping[str, str] | None = None) -> MultimodalTable:
        """Appends the rows of several inputs, each of any kind that `add` takes, in one commit.

        Raises:
            ValueError: `batches` is not iterable, or as `add`.
        """
        if not isinstance(batches, Iterable) or isinstance(batches, (str, bytes)):
            raise ValueError("batches must be an iterable of input batches.")
        schema = self.schema
        iterator = iter(batches)
        try:
            self._native.add_batches(
                (rows_of_batch(batch, schema) for batch in iterator), properties=dict(properties or {})
            )
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()
        return self

    def add_video(
        self,
        video: Any,
        frames: Any,
        *,
        video_column: str | None = None,
        first_frame: int = 0,
        properties: Mapping[str, str] | None = None,
    ) -> MultimodalTable:
        """Appends one row for each frame of an encoded video, which is copied into the table as it is.

        Args:
            video: Path, `pathlib.Path`, bytes, `Blob`, `BlobDescriptor` or `VideoFrameDescriptor`.
            frames: Rows, of any kind that `add` takes; row i gets frame ``first_frame + i``.
            video_column: May be left out where the table has one video column.
            first_frame: Frame of the first row.
            properties: Stored in the snapshot.

        Raises:
            ValueError: It is no video, or has fewer frames than the rows need; the text names it.
        """
        return self.add_videos([(video, frames, first_frame)], video_column=video_column, properties=properties)

    def add_videos(
        self,
        videos: Iterable[tuple],
        *,
        video_column: str | None = None,
        properties: Mapping[str, str] | None = None,
        progress: bool | Callable[[int, int | None], None] | None = None,
    ) -> MultimodalTable:
        """Appends the rows of several videos in one commit; items are ``(video, frames)`` or
        ``(video, frames, first_frame)``, pulled one at a time."""
        schema = self.schema

        def items() -> Iterator[tuple]:
            for item in videos:
                if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
                    raise ValueError("Each videos item must be (video, frames) or (video, frames, first_frame).")
                first_frame = item[2] if len(item) == 3 else 0
                if isinstance(first_frame, bool) or not isinstance(first_frame, int) or first_frame < 0:
                    raise ValueError("first_frame must be a non-negative int.")
                payload, offset_frames = _video_payload(item[0])
                yield payload, rows_from(item[1], schema), first_frame + offset_frames

        self._native.add_videos(
            items(),
            video_column=video_column or "",
            properties=dict(properties or {}),
            progress=progress_callback(progress),
        )
        return self

    def add_images_as_video(
        self,
        images: Any,
        frames: Any,
        *,
        fps: Any,
        codec: Any = DEFAULT_CODEC,
        pixel_format: Any = None,
        gop_size: Any = 2,
        codec_options: Any = None,
        video_column: str | None = None,
        orientation: Any = "apply",
        background: Any = None,
        properties: Mapping[str, str] | None = None,
        progress: bool | Callable[[int, int | None], None] | None = None,
    ) -> MultimodalTable:
        """Encodes ordered images to one video and appends one row for each.

        Args:
            images: Iterable of pictures, pulled lazily: bytes of an image file (JPEG, PNG, WebP, BMP, TIFF, GIF, ...),
                a path, a Pillow image, a uint8 array (H, W), (H, W, 1), (H, W, 3) RGB or (H, W, 4) RGBA, or a uint16
                array (H, W) of depth or ids, which is stored as it is, as 16-bit grey image files are. Or
                ``{column: iterable}`` for several cameras, encoded side by side; then each option is one value or
                ``{column: value}``, with its default for columns left out.
            frames: Rows, as many as images, of any kind that `add` takes.
            fps: Positive int, `fractions.Fraction`, or text ``"N"`` or ``"N/D"``.
            codec: FFmpeg encoder: libx264, libx265, libsvtav1, libvpx-vp9, mpeg4, ffv1, ... Where none is given, 16-bit
                pictures go to ffv1, which loses nothing; a lossy codec has to be named for them.
            pixel_format: FFmpeg pixel format; None: yuv420p, else the first 8-bit RGB format of the codec; for 16-bit
                pictures the deepest grey format of the codec. Label images of uint8 need ``"gray"``.
            gop_size: Distance of key frames; small values make random access fast.
            codec_options: Options of the encoder; None with libx264: crf 18, preset fast. ``qscale`` sets a constant
                quality as the ffmpeg command does.
            video_column: May be left out where the table has one video column.
            orientation: ``"apply"`` turns pictures upright by their EXIF tag, ``"ignore"`` keeps them as stored.
            background: (r, g, b) under transparent pixels; without it pictures with transparency are refused.
            properties: Stored in the snapshot.
            progress: True for a bar on the terminal, or a callable ``(done, total or None)``.

        Raises:
            TypeError: An item of `images` is of no accepted type.
            ValueError: A picture cannot be read, sizes differ, the numbers of images and rows differ, or the encoder
                lacks an option; the text says which and what would work. Nothing is stored then.
        """
        cameras = camera_streams(
            images,
            {
                "fps": fps,
                "codec": codec,
                "pixel_format": pixel_format,
                "gop_size": gop_size,
                "codec_options": codec_options,
                "orientation": orientation,
                "background": background,
            },
        )
        self._native.add_images_as_video(
            cameras,
            rows_from(frames, self.schema),
            video_column=video_column or "",
            properties=dict(properties or {}),
            progress=progress_callback(progress),
        )
        return self

    def add_images_as_videos(
        self,
        items: Iterable[tuple],
        *,
        fps: Any,
        codec: Any = DEFAULT_CODEC,
        pixel_format: Any = None,
        gop_size: Any = 2,
        codec_options: Any = None,
        video_column: str | None = None,
        orientation: Any = "apply",
        background: Any = None,
        properties: Mapping[str, str] | None = None,
        progress: bool | Callable[[int, int | None], None] | None = None,
    ) -> MultimodalTable:
        """Encodes several episodes side by side and appends them in one commit, rows in the order of the items.

        Args:
            items: ``(images, frames)`` for each episode, as for `add_images_as_video`.

        The other arguments are those of `add_images_as_video`.
        """
        schema = self.schema
        options = {
            "fps": fps,
            "codec": codec,
            "pixel_format": pixel_format,
            "gop_size": gop_size,
            "codec_options": codec_options,
            "orientation": orientation,
            "background": background,
        }
        camera_streams([], options)  # wrong options are refused before the first item is pulled

        def episodes() -> Iterator[tuple]:
            for position, item in enumerate(items):
                if not isinstance(item, (tuple, list)) or len(item) != 2:
                    raise ValueError(f"Each item must be (images, frames); item {position} is {type(item)}.")
                yield camera_streams(item[0], options), rows_from(item[1], schema)

        self._native.add_images_as_videos(
            episodes(),
            size_hint(items),
            video_column=video_column or "",
            properties=dict(properties or {}),
            progress=progress_callback(progress),
        )
        return self

    # rows out

    def scan(
        self,
        *,
        snapshot_id: int | str | None = None,
        tag_name: str | None = None,
        timestamp: datetime | int | None = None,
    ) -> ScanQuery:
        """A query over the newest version, or over a snapshot, a tag, or the newest snapshot not after `timestamp`
        (datetime, naive = UTC, or epoch milliseconds). Nothing is read before a terminal call."""
        if snapshot_id is not None and tag_name is not None:
            raise ValueError("snapshot_id and tag_name cannot be set at the same time")
        if timestamp is not None and (snapshot_id is not None or tag_name is not None):
            raise ValueError("timestamp cannot be set together with snapshot_id or tag_name")
        return ScanQuery(
            self._native.scan(
                snapshot_id=None if snapshot_id is None else int(snapshot_id),
                tag_name=tag_name,
                timestamp_millis=_epoch_millis(timestamp),
            )
        )

    def take_row_ids(
        self, row_ids: Iterable[int], *, snapshot_id: int | str | None = None, tag_name: str | None = None
    ) -> ScanQuery:
        """A query over the rows with these ids, in row-id order; repeats collapse, unknown ids are ignored."""
        if row_ids is None or isinstance(row_ids, (str, bytes)) or not isinstance(row_ids, Iterable):
            raise ValueError("row_ids must be an iterable of row id integers.")
        ids = [int(row_id.as_py() if hasattr(row_id, "as_py") else row_id) for row_id in row_ids]
        return ScanQuery(
            self._native.take_row_ids(
                ids, snapshot_id=None if snapshot_id is None else int(snapshot_id), tag_name=tag_name
            )
        )

    # versions and health

    def create_tag(self, name: str, *, snapshot_id: int | None = None) -> None:
        """Names a snapshot, the newest if none is given.

        Raises:
            TagAlreadyExistException: There is such a tag.
            ValueError: There is no such snapshot.
        """
        self._native.create_tag(name, snapshot_id)

    def delete_tag(self, name: str) -> None:
        """Removes a tag; the snapshot stays."""
        self._native.delete_tag(name)

    def list_tags(self) -> list[str]:
        """Names of all tags, sorted."""
        return self._native.list_tags()

    def verify(
        self, *, deep: bool = False, progress: bool | Callable[[int, int | None], None] | None = None
    ) -> VerifyReport:
        """Checks that every file of every snapshot is there with its size and that every video opens and has as many
        frames as its rows need; `deep` also decodes every video and reads every row."""
        return VerifyReport(self._native.verify(deep=deep, progress=progress_callback(progress)))

    def __repr__(self) -> str:
        return f"MultimodalTable({self.identifier!r})"


class VerifyReport:
    """What `MultimodalTable.verify` found. True where nothing is wrong."""

    def __init__(self, native: _reelhouse.VerifyReport) -> None:
        self.ok: bool = native.ok
        self.snapshots_checked: int = native.snapshots_checked
        self.files_checked: int = native.files_checked
        self.videos_checked: int = native.videos_checked
        self.rows_checked: int = native.rows_checked
        self.bytes_checked: int = native.bytes_checked
        self.problems: list[dict[str, Any]] = [
            {"snapshot_id": p.snapshot_id, "path": p.path, "text": p.text} for p in native.problems
        ]
        self._text = native.to_text()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


class RawTable:
    """The part of Paimon's table object that users of multimodal tables touch."""

    def __init__(self, native: _reelhouse.Table) -> None:
        self._native = native

    @property
    def identifier(self) -> str:
        return self._native.identifier

    @property
    def table_path(self) -> str:
        return self._native.path

    @property
    def options(self) -> dict[str, str]:
        """Table options as they are stored."""
        return self._native.options()

    @property
    def table_schema(self) -> Any:
        """The newest schema file: an object with ``id``, ``fields``, ``options``, ``partition_keys``, ..."""
        return _StoredSchema(json.loads(self._native.schema_json()))

    @property
    def fields(self) -> list[dict[str, Any]]:
        """Fields of the newest schema as they are stored."""
        return json.loads(self._native.schema_json())["fields"]

    @property
    def field_names(self) -> list[str]:
        return [field["name"] for field in self.fields]

    @property
    def partition_keys(self) -> list[str]:
        return json.loads(self._native.schema_json())["partitionKeys"]

    @property
    def file_io(self) -> FileIO:
        return FileIO()

    def snapshot_manager(self) -> SnapshotManager:
        return SnapshotManager(self._native)

    def create_tag(self, name: str, snapshot_id: int | None = None) -> None:
        """Names a snapshot, the newest if none is given."""
        self._native.create_tag(name, snapshot_id)

    def delete_tag(self, name: str) -> None:
        self._native.delete_tag(name)

    def list_tags(self) -> list[str]:
        return self._native.list_tags()

    def tag_manager(self) -> TagManager:
        return TagManager(self._native)


class SnapshotManager:
    """Snapshots of a table."""

    def __init__(self, native: _reelhouse.Table) -> None:
        self._native = native

    def get_latest_snapshot(self) -> _reelhouse.Snapshot | None:
        """The newest snapshot, None in an empty table."""
        return self._native.latest_snapshot()

    def get_snapshot_by_id(self, snapshot_id: int) -> _reelhouse.Snapshot | None:
        return self._native.find_snapshot(snapshot_id)

    def list_snapshots(self) -> list[_reelhouse.Snapshot]:
        """All snapshots, oldest first."""
        return self._native.list_snapshots()

    def try_get_earliest_snapshot(self) -> _reelhouse.Snapshot | None:
        snapshots = self._native.list_snapshots()
        return snapshots[0] if snapshots else None


class TagManager:
    """Tags of a table."""

    def __init__(self, native: _reelhouse.Table) -> None:
        self._native = native

    def get(self, name: str) -> _reelhouse.Snapshot | None:
        """The snapshot that a tag names, None if there is no such tag."""
        return self._native.load_tag(name) if name in self._native.list_tags() else None


class FileIO:
    """Reads the files that descriptors point to."""

    def new_input_stream(self, path: str) -> BinaryIO:
        """A seekable binary stream over a whole file."""
        return Blob.from_local(path).new_input_stream()

    def exists(self, path: str) -> bool:
        return os.path.exists(local_path(path))

    def get_file_size(self, path: str) -> int:
        return os.path.getsize(local_path(path))


class _StoredSchema:
    """A schema file as attributes in Python's spelling."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.id: int = values["id"]
        self.fields: list[dict[str, Any]] = values["fields"]
        self.options: dict[str, str] = values["options"]
        self.partition_keys: list[str] = values["partitionKeys"]
        self.primary_keys: list[str] = values["primaryKeys"]
        self.highest_field_id: int = values["highestFieldId"]
        self.comment: str | None = values.get("comment")
        self.time_millis: int | None = values.get("timeMillis")


class _SchemaCapsule:
    """A capsule as an object that pyarrow takes."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_schema__(self) -> Any:
        return self._capsule


def _epoch_millis(timestamp: datetime | int | None) -> int | None:
    if timestamp is None or (isinstance(timestamp, int) and not isinstance(timestamp, bool)):
        return timestamp
    if not isinstance(timestamp, datetime):
        raise TypeError(f"timestamp must be a datetime or epoch milliseconds, got {type(timestamp)}.")
    if timestamp.tzinfo is None:
        timestamp = timestamp.replace(tzinfo=timezone.utc)
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    delta = timestamp - epoch
    return (delta.days * 86_400 + delta.seconds) * 1000 + delta.microseconds // 1000


def _video_payload(video: Any) -> tuple[_reelhouse.VideoPayload, int]:
    """The native payload of a `video` argument, and the frame that it starts at."""
    make = _reelhouse.VideoPayload
    if isinstance(video, BlobRef):
        video = video.to_descriptor()
    if isinstance(video, VideoFrameDescriptor):
        index = video.keyframe_index_descriptor
        index_range = (-1, 0) if index is None else (index.offset, index.length)
        return make.from_range(os.fsencode(video.uri), video.offset, video.length, *index_range), video.frame_index
    if isinstance(video, BlobDescriptor):
        return make.from_range(os.fsencode(video.uri), video.offset, video.length, -1, 0), 0
    if isinstance(video, BlobData):
        return make.from_bytes(video.to_data(), "video in memory"), 0
    if isinstance(video, (bytes, bytearray, memoryview)):
        return make.from_bytes(video, "video in memory"), 0
    if isinstance(video, (str, os.PathLike)):
        return make.from_range(os.fsencode(video), 0, -1, -1, 0), 0
    raise ValueError(f"video must be a path, bytes, Blob, or BlobDescriptor, got {type(video)}.")
