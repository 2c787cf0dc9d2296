"""References to bytes: `BlobDescriptor`, `VideoFrameDescriptor`, and `Blob`, a value of a BLOB column."""

from __future__ import annotations

import io
import os
import struct
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, BinaryIO

__all__ = ["Blob", "BlobData", "BlobDescriptor", "BlobRef", "VideoFrameDescriptor", "local_path"]

_BLOB_VERSION = 2
_BLOB_MAGIC = 0x424C4F4244455343
_VIDEO_VERSION = 1
_VIDEO_MAGIC = 0x564944454F46524D
_SCHEMES_BEYOND_FILES = ("http://", "https://", "s3://", "oss://", "hdfs://")


class BlobDescriptor:
    """Reference to a byte range of a file.

    Args:
        uri: Path or URI of the file.
        offset: First byte.
        length: Number of bytes; -1 means to the end of the file.
    """

    __slots__ = ("_length", "_offset", "_uri")

    def __init__(self, uri: str, offset: int, length: int) -> None:
        self._uri = uri
        self._offset = offset
        self._length = length

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def offset(self) -> int:
        return self._offset

    @property
    def length(self) -> int:
        return self._length

    @property
    def version(self) -> int:
        """Version of the serialized form."""
        return _BLOB_VERSION

    def serialize(self) -> bytes:
        """The wire form of Paimon, version 2."""
        uri = self._uri.encode()
        return struct.pack("<BQI", _BLOB_VERSION, _BLOB_MAGIC, len(uri)) + uri + struct.pack("<qq", self._offset, self._length)

    @classmethod
    def deserialize(cls, data: bytes) -> BlobDescriptor:
        """Reads wire versions 1 and 2, and video frame descriptors; trailing bytes are ignored.

        Raises:
            ValueError: The bytes are no descriptor.
        """
        data = bytes(data)
        if VideoFrameDescriptor.is_video_frame_descriptor(data):
            return VideoFrameDescriptor.deserialize(data)
        return _parse_blob_descriptor(data)[0]

    @classmethod
    def parse_if_serialized(cls, data: bytes | None) -> BlobDescriptor | None:
        """The descriptor if `data` is exactly one, else None."""
        if data is None:
            return None
        data = bytes(data)
        try:
            if VideoFrameDescriptor.is_video_frame_descriptor(data):
                return VideoFrameDescriptor.deserialize(data)
            descriptor, size = _parse_blob_descriptor(data)
        except ValueError:
            return None
        return descriptor if size == len(data) else None

    @staticmethod
    def is_blob_descriptor(data: bytes | None) -> bool:
        """True if the bytes begin with version 2 and its magic."""
        return data is not None and len(data) >= 9 and struct.unpack_from("<BQ", data) == (_BLOB_VERSION, _BLOB_MAGIC)

    def __eq__(self, other: object) -> bool:
        if type(other) is not BlobDescriptor or type(self) is not BlobDescriptor:
            return NotImplemented
        return (self._uri, self._offset, self._length) == (other._uri, other._offset, other._length)

    def __hash__(self) -> int:
        return hash((self.version, self._uri, self._offset, self._length))

    def __repr__(self) -> str:
        return f"BlobDescriptor(uri={self._uri!r}, offset={self._offset}, length={self._length})"


def _parse_blob_descriptor(data: bytes) -> tuple[BlobDescriptor, int]:
    """The descriptor at the start of `data` and its size in bytes."""
    if len(data) < 5:
        raise ValueError("Invalid BlobDescriptor data: too short")
    version = data[0]
    if version > _BLOB_VERSION:
        raise ValueError(
            f"Expecting BlobDescriptor version to be less than or equal to {_BLOB_VERSION}, but found {version}."
        )
    at = 1
    if version == _BLOB_VERSION:
        if len(data) < 13:
            raise ValueError("Invalid BlobDescriptor data: too short")
        if struct.unpack_from("<Q", data, 1)[0] != _BLOB_MAGIC:
            raise ValueError("Invalid BlobDescriptor: missing magic header")
        at = 9
    (uri_length,) = struct.unpack_from("<i", data, at)
    at += 4
    if uri_length < 0:
        raise ValueError(f"Invalid BlobDescriptor data: negative URI length: {uri_length}")
    if at + uri_length + 16 > len(data):
        raise ValueError(f"Invalid BlobDescriptor data: URI length {uri_length} exceeds the data, too short")
    uri = data[at : at + uri_length].decode()
    offset, length = struct.unpack_from("<qq", data, at + uri_length)
    return BlobDescriptor(uri, offset, length), at + uri_length + 16


class VideoFrameDescriptor(BlobDescriptor):
    """Reference to one frame of one encoded video.

    Args:
        uri: Path or URI of the file that holds the video.
        offset: First byte of the video in that file.
        length: Bytes of the video.
        frame_index: Position in presentation order, from 0.
        keyframe_index_offset: First byte of the video's keyframe index in the same file, or -1.
        keyframe_index_length: Bytes of the keyframe index, or 0.
    """

    __slots__ = ("_frame_index", "_keyframe_index_length", "_keyframe_index_offset")

    def __init__(
        self,
        uri: str,
        offset: int,
        length: int,
        frame_index: int,
        keyframe_index_offset: int,
        keyframe_index_length: int,
    ) -> None:
        if type(frame_index) is not int:
            raise TypeError("Video frame index must be an int.")
        if frame_index < 0:
            raise ValueError(f"Video frame index must be non-negative, but was {frame_index}.")
        if keyframe_index_length < 0:
            raise ValueError("Video keyframe index length must be non-negative.")
        if (keyframe_index_offset == -1) != (keyframe_index_length == 0) or keyframe_index_offset < -1:
            raise ValueError("Invalid video keyframe index range.")
        super().__init__(uri, offset, length)
        self._frame_index = frame_index
        self._keyframe_index_offset = keyframe_index_offset
        self._keyframe_index_length = keyframe_index_length

    @property
    def version(self) -> int:
        return _VIDEO_VERSION

    @property
    def frame_index(self) -> int:
        """Position in presentation order, from 0."""
        return self._frame_index

    @property
    def payload_descriptor(self) -> BlobDescriptor:
        """The whole video."""
        return BlobDescriptor(self.uri, self.offset, self.length)

    @property
    def keyframe_index_descriptor(self) -> BlobDescriptor | None:
        """The keyframe index of the video, None if it has none."""
        if self._keyframe_index_offset < 0:
            return None
        return BlobDescriptor(self.uri, self._keyframe_index_offset, self._keyframe_index_length)

    def serialize(self) -> bytes:
        uri = self.uri.encode()
        numbers = (self.offset, self.length, self._frame_index, self._keyframe_index_offset, self._keyframe_index_length)
        return struct.pack("<BQI", _VIDEO_VERSION, _VIDEO_MAGIC, len(uri)) + uri + struct.pack("<5q", *numbers)

    @classmethod
    def deserialize(cls, data: bytes) -> VideoFrameDescriptor:
        """Reads exactly one serialized descriptor.

        Raises:
            TypeError: `data` is not bytes-like.
            ValueError: The bytes are no descriptor, or more than one.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"VideoFrameDescriptor data must be bytes, got {type(data)}.")
        data = bytes(data)
        if len(data) < 13:
            raise ValueError("Invalid VideoFrameDescriptor data: too short")
        version, magic, uri_length = struct.unpack_from("<BQI", data)
        if version != _VIDEO_VERSION:
            raise ValueError(f"Expecting VideoFrameDescriptor version to be {_VIDEO_VERSION}, but found {version}.")
        if magic != _VIDEO_MAGIC:
            raise ValueError("Invalid VideoFrameDescriptor data: missing magic header")
        if uri_length > len(data):
            raise ValueError(f"Invalid VideoFrameDescriptor data: invalid URI length: {uri_length}")
        size = 53 + uri_length
        if len(data) < size:
            raise ValueError("Invalid VideoFrameDescriptor data: too short")
        if len(data) > size:
            raise ValueError("Invalid VideoFrameDescriptor data: trailing bytes")
        uri = data[13 : 13 + uri_length].decode()
        return cls(uri, *struct.unpack_from("<5q", data, 13 + uri_length))

    @staticmethod
    def is_video_frame_descriptor(data: bytes | None) -> bool:
        """True if the bytes begin with the version and the magic of a video frame descriptor."""
        return data is not None and len(data) >= 9 and struct.unpack_from("<BQ", data) == (_VIDEO_VERSION, _VIDEO_MAGIC)

    def _key(self) -> tuple:
        return (
            self.uri,
            self.offset,
            self.length,
            self._frame_index,
            self._keyframe_index_offset,
            self._keyframe_index_length,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VideoFrameDescriptor) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.version, *self._key()))

    def __repr__(self) -> str:
        return f"VideoFrameDescriptor(uri={self.uri!r}, offset={self.offset}, length={self.length}, frame_index={self.frame_index})"


def local_path(uri: str) -> str:
    """The path of a plain path or a `file:` URI.

    Raises:
        ValueError: The URI names another kind of storage.
    """
    if uri.startswith("file:"):
        rest = uri[len("file:") :]
        return "/" + rest.lstrip("/") if rest.startswith("//") else rest
    if uri.startswith(_SCHEMES_BEYOND_FILES):
        raise ValueError(f"{uri}: only local files can be read")
    return uri


class _RangeStream(io.RawIOBase):
    """A range of a file as a stream of its own, positions counted from the start of the range."""

    def __init__(self, path: str, offset: int, length: int) -> None:
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115, closed by close()
        size = os.fstat(self._file.fileno()).st_size
        self._start = offset
        self._length = max(size - offset, 0) if length < 0 else length
        if offset + self._length > size:
            self._file.close()
            raise OSError(f"{path}: expected {self._length} bytes from byte {offset}, found {max(size - offset, 0)}")
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._check_open()
        view = memoryview(buffer).cast("B")
        count = max(min(len(view), self._length - self._position), 0)
        if count == 0:
            return 0
        self._file.seek(self._start + self._position)
        data = self._file.read(count)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._check_open()
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._length}[whence]
        position = base + offset
        if position < 0:
            if whence == io.SEEK_SET:
                raise ValueError(f"Negative seek position: {offset}")
            position = 0
        self._position = position
        return position

    def tell(self) -> int:
        self._check_open()
        return self._position

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")


class Blob(ABC):
    """A value of a BLOB column: bytes, or a reference to a range of a file."""

    @abstractmethod
    def to_data(self) -> bytes:
        """The content."""

    @abstractmethod
    def to_descriptor(self) -> BlobDescriptor:
        """The reference; RuntimeError for a blob that is only in memory."""

    @abstractmethod
    def new_input_stream(self) -> BinaryIO:
        """A new seekable binary stream over the content."""

    @staticmethod
    def from_data(data: bytes | bytearray | memoryview) -> Blob:
        """A blob in memory."""
        return BlobData(data)

    @staticmethod
    def from_local(path: str | os.PathLike[str]) -> Blob:
        """A whole local file, read when it is needed."""
        return BlobRef(BlobDescriptor(os.fspath(path), 0, -1))

    @staticmethod
    def from_http(url: str) -> Blob:
        """What an HTTP or HTTPS address gives, read when it is needed."""
        return BlobRef(BlobDescriptor(url, 0, -1))

    @staticmethod
    def from_file(file_io: Any, path: str, offset: int, length: int) -> Blob:
        """A range of a file; `file_io` is that of a table."""
        return BlobRef(BlobDescriptor(path, offset, length))

    @staticmethod
    def from_descriptor(uri_reader: Any, descriptor: BlobDescriptor) -> Blob:
        """The blob behind a descriptor."""
        return BlobRef(descriptor)

    @staticmethod
    def from_bytes(
        data: bytes | None,
        file_io: Any = None,
        uri_reader_factory: Callable[..., Any] | None = None,
        allow_blob_data: bool = True,
    ) -> Blob | None:
        """A reference if `data` is a serialized descriptor, else the bytes themselves."""
        if data is None:
            return None
        descriptor = BlobDescriptor.parse_if_serialized(data) if len(data) >= 9 else None
        is_reference = BlobDescriptor.is_blob_descriptor(data) or VideoFrameDescriptor.is_video_frame_descriptor(data)
        if descriptor is not None and is_reference:
            if file_io is None and uri_reader_factory is None:
                raise ValueError("file_io is required to resolve BlobDescriptor bytes")
            return BlobRef(descriptor)
        if not allow_blob_data:
            raise ValueError("Expected BlobDescriptor bytes, got raw bytes (allow_blob_data=False)")
        return BlobData(data)

    @staticmethod
    def from_descriptor_bytes(
        data: bytes, file_io: Any = None, uri_reader_factory: Callable[..., Any] | None = None
    ) -> Blob:
        """The blob behind a serialized descriptor."""
        descriptor = BlobDescriptor.parse_if_serialized(data)
        if descriptor is None:
            raise ValueError("Expected BlobDescriptor bytes, got raw bytes")
        return BlobRef(descriptor)


class BlobData(Blob):
    """A blob in memory."""

    def __init__(self, data: bytes | bytearray | memoryview | None) -> None:
        if data is not None and not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"BlobData expects bytes, bytearray, or None, got {type(data)}")
        self._data = b"" if data is None else bytes(data)

    def to_data(self) -> bytes:
        return self._data

    def to_descriptor(self) -> BlobDescriptor:
        raise RuntimeError("Blob data can not convert to descriptor.")

    def new_input_stream(self) -> BinaryIO:
        return io.BytesIO(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlobData) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._data)


class BlobRef(Blob):
    """A blob that is a range of a file."""

    def __init__(self, descriptor: BlobDescriptor) -> None:
        self._descriptor = descriptor

    def to_data(self) -> bytes:
        try:
            with self.new_input_stream() as stream:
                return stream.read()
        except OSError as error:
            raise OSError(f"Failed to read blob data: {error}") from error

    def to_descriptor(self) -> BlobDescriptor:
        return self._descriptor

    def new_input_stream(self) -> BinaryIO:
        uri = self._descriptor.uri
        if uri.startswith(("http://", "https://")):
            with urllib.request.urlopen(uri) as response:
                return io.BytesIO(response.read())
        try:
            return _RangeStream(local_path(uri), self._descriptor.offset, self._descriptor.length)
        except FileNotFoundError as error:
            raise FileNotFoundError(f"Failed to read file {uri}: File {uri} does not exist") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlobRef) and self._descriptor == other._descriptor

    def __hash__(self) -> int:
        return hash(self._descriptor)
