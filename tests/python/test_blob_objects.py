from __future__ import annotations

import io

import pytest

import reelhouse as rh


def test_blob_descriptors_have_the_wire_form_of_paimon():
    descriptor = rh.BlobDescriptor("file:/x", 1, 2)
    wire = bytes.fromhex("02" "43534544424f4c42" "07000000" "66696c653a2f78" "0100000000000000" "0200000000000000")
    assert descriptor.serialize() == wire
    assert rh.BlobDescriptor.deserialize(wire) == descriptor
    assert rh.BlobDescriptor.deserialize(wire + b"more") == descriptor
    assert rh.BlobDescriptor.parse_if_serialized(wire + b"more") is None
    assert rh.BlobDescriptor.is_blob_descriptor(wire)
    assert not rh.BlobDescriptor.is_blob_descriptor(b"\x02short")
    assert len({descriptor, rh.BlobDescriptor("file:/x", 1, 2)}) == 1
    with pytest.raises(ValueError, match="Invalid BlobDescriptor data: too short"):
        rh.BlobDescriptor.deserialize(b"")
    with pytest.raises(ValueError, match="less than or equal to 2, but found 106."):
        rh.BlobDescriptor.deserialize(b"junk junk junk")


def test_video_frame_descriptors_have_the_wire_form_of_paimon():
    descriptor = rh.VideoFrameDescriptor("u", 0, 10, 3, -1, 0)
    wire = bytes.fromhex("01" "4d52464f45444956" "01000000" "75") + b"".join(
        n.to_bytes(8, "little", signed=True) for n in (0, 10, 3, -1, 0)
    )
    assert descriptor.serialize() == wire
    assert rh.VideoFrameDescriptor.deserialize(wire) == descriptor
    assert rh.BlobDescriptor.deserialize(wire) == descriptor
    assert descriptor.payload_descriptor == rh.BlobDescriptor("u", 0, 10)
    assert descriptor.keyframe_index_descriptor is None
    assert descriptor != descriptor.payload_descriptor
    assert (descriptor.version, descriptor.payload_descriptor.version) == (1, 2)
    for data, text in ((wire + b"x", "trailing bytes"), (wire[:-1], "too short"), (b"\x02" + wire[1:], "found 2")):
        with pytest.raises(ValueError, match=text):
            rh.VideoFrameDescriptor.deserialize(data)
    with pytest.raises(TypeError):
        rh.VideoFrameDescriptor.deserialize("text")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("u", 0, 1, True, -1, 0), TypeError, "Video frame index must be an int."),
        (("u", 0, 1, -3, -1, 0), ValueError, "Video frame index must be non-negative, but was -3."),
        (("u", 0, 1, 0, -1, -1), ValueError, "Video keyframe index length must be non-negative."),
        (("u", 0, 1, 0, 5, 0), ValueError, "Invalid video keyframe index range."),
    ],
)
def test_impossible_descriptors_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        rh.VideoFrameDescriptor(*arguments)


def test_blobs_in_memory_and_in_files(tmp_path):
    path = tmp_path / "b.bin"
    path.write_bytes(b"0123456789")
    assert rh.Blob.from_data(bytearray(b"abc")).to_data() == b"abc"
    assert rh.Blob.from_local(path).to_data() == b"0123456789"
    assert rh.Blob.from_local(path).to_descriptor() == rh.BlobDescriptor(str(path), 0, -1)
    assert rh.Blob.from_file(None, f"file:{path}", 2, 3).to_data() == b"234"
    with pytest.raises(TypeError, match="BlobData expects bytes"):
        rh.Blob.from_data("text")
    with pytest.raises(RuntimeError, match="Blob data can not convert to descriptor."):
        rh.Blob.from_data(b"x").to_descriptor()
    with pytest.raises(OSError, match="Failed to read blob data"):
        rh.Blob.from_local(tmp_path / "missing").to_data()
    with pytest.raises(OSError, match="20.*8"):
        rh.Blob.from_file(None, str(path), 2, 20).to_data()


def test_streams_stay_in_their_range(tmp_path):
    path = tmp_path / "b.bin"
    path.write_bytes(b"ab\ncd\nefgh")
    with rh.Blob.from_file(None, str(path), 3, 5).new_input_stream() as stream:
        assert isinstance(stream, io.RawIOBase)
        assert stream.readline() == b"cd\n"
        assert stream.read() == b"ef"
        assert stream.seek(-2, io.SEEK_END) == 3
        assert stream.read(10) == b"ef"
        assert stream.seek(100) == 100
        assert stream.read() == b""
        assert stream.seek(-100, io.SEEK_END) == 0
        with pytest.raises(ValueError, match="Negative seek position: -1"):
            stream.seek(-1)
    with pytest.raises(ValueError, match="I/O operation on closed file"):
        stream.read()


def test_bytes_become_references_only_where_they_can_be_resolved():
    reference = rh.BlobDescriptor("/x", 0, 1).serialize()
    assert rh.Blob.from_bytes(None) is None
    assert rh.Blob.from_bytes(b"raw").to_data() == b"raw"
    assert rh.Blob.from_bytes(reference, file_io=object()).to_descriptor() == rh.BlobDescriptor("/x", 0, 1)
    with pytest.raises(ValueError, match="file_io is required to resolve BlobDescriptor bytes"):
        rh.Blob.from_bytes(reference)
    with pytest.raises(ValueError, match=r"Expected BlobDescriptor bytes, got raw bytes \(allow_blob_data=False\)"):
        rh.Blob.from_bytes(b"raw", allow_blob_data=False)
    with pytest.raises(ValueError, match="Expected BlobDescriptor bytes, got raw bytes"):
        rh.Blob.from_descriptor_bytes(b"raw")
