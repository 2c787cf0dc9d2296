"""Pictures of any accepted kind on their way into an encoder, and the options of the encoder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import _reelhouse

__all__ = ["DEFAULT_CODEC", "EncodingOptions", "camera_streams", "encoding_options", "size_hint"]


class _UnnamedCodec(str):
    """The default codec where the caller named none, so that depth need not go to a lossy one."""

    __slots__ = ()


DEFAULT_CODEC = _UnnamedCodec("libx264")

# Pillow's modes that need no conversion, and where the others go.
_RAW_MODES = {"L": "gray8", "RGB": "rgb8", "RGBA": "rgba8"}
_CONVERTED_MODES = {"1": "L", "LA": "RGBA", "PA": "RGBA", "La": "RGBA", "RGBa": "RGBA", "RGBX": "RGB"}
_CHANNELS = {"gray8": 1, "rgb8": 3, "rgba8": 4, "gray16": 2}


@dataclass(frozen=True)
class EncodingOptions:
    """Options of one camera, as the native part takes them."""

    fps: tuple[int, int]
    codec: str | None
    pixel_format: str | None
    gop_size: int
    codec_options: list[tuple[str, str]] | None
    apply_orientation: bool
    background: tuple[int, int, int] | None


def encoding_options(
    *,
    fps: Any,
    codec: Any,
    pixel_format: Any,
    gop_size: Any,
    codec_options: Any,
    orientation: Any,
    background: Any,
) -> EncodingOptions:
    """Checked options.

    Raises:
        ValueError: An option is not what the encoder takes; the text says what is.
    """
    if not isinstance(codec, str) or not codec.strip():
        raise ValueError("codec must be a non-empty string.")
    if pixel_format is not None and (not isinstance(pixel_format, str) or not pixel_format.strip()):
        raise ValueError("pixel_format must be a non-empty string.")
    if isinstance(gop_size, bool) or not isinstance(gop_size, int) or gop_size <= 0:
        raise ValueError("gop_size must be a positive int.")
    if codec_options is not None and not isinstance(codec_options, Mapping):
        raise ValueError("codec_options must be a mapping or None.")
    if orientation not in ("apply", "ignore"):
        raise ValueError(f"orientation must be 'apply' or 'ignore', got {orientation!r}.")
    return EncodingOptions(
        fps=_frame_rate(fps),
        codec=None if isinstance(codec, _UnnamedCodec) else codec,
        pixel_format=pixel_format,
        gop_size=gop_size,
        codec_options=None if codec_options is None else [(str(k), str(v)) for k, v in codec_options.items()],
        apply_orientation=orientation == "apply",
        background=_colour(background),
    )


def _frame_rate(fps: Any) -> tuple[int, int]:
    if isinstance(fps, str):
        return _reelhouse.parse_frame_rate(fps)
    if isinstance(fps, Fraction):
        if fps > 0:
            return fps.numerator, fps.denominator
    elif isinstance(fps, int) and not isinstance(fps, bool) and fps > 0:
        return fps, 1
    hint = ""
    if isinstance(fps, float):
        hint = f" For {fps} fps pass a fraction, e.g. Fraction(30000, 1001) or '30000/1001'."
    raise ValueError(f"fps must be a positive int, a Fraction, or text 'N' or 'N/D', got {fps!r}.{hint}")


def _colour(background: Any) -> tuple[int, int, int] | None:
    if background is None:
        return None
    try:
        red, green, blue = (int(value) for value in background)
    except (TypeError, ValueError):
        raise ValueError(f"background must be (r, g, b), each 0 to 255, got {background!r}.") from None
    if not all(0 <= value <= 255 for value in (red, green, blue)):
        raise ValueError(f"background must be (r, g, b), each 0 to 255, got {background!r}.")
    return red, green, blue


def size_hint(items: Any) -> int:
    """Number of items where it is known without iterating, else -1."""
    return len(items) if hasattr(items, "__len__") else -1


# What an option is for cameras that a `{column: value}` leaves out.
_DEFAULTS = {
    "codec": DEFAULT_CODEC,
    "pixel_format": None,
    "gop_size": 2,
    "codec_options": None,
    "orientation": "apply",
    "background": None,
}


def camera_streams(images: Any, options: Mapping[str, Any]) -> dict[str, tuple[Iterator[tuple], int, EncodingOptions]]:
    """`{column: (pictures, number or -1, options)}`; the column is "" where `images` is not a mapping of columns.

    Raises:
        ValueError: An option is not what the encoder takes, or is for a column that has no images.
    """
    if not isinstance(images, Mapping):
        return {"": _camera(images, options)}
    if not images:
        raise ValueError("images must name at least one video column.")
    for column in images:
        if not isinstance(column, str) or not column:
            raise ValueError(f"images: a video column must be a non-empty string, got {column!r}.")
    return {
        column: _camera(stream, {name: _of_column(name, value, column, images) for name, value in options.items()})
        for column, stream in images.items()
    }


def _of_column(option: str, value: Any, column: str, images: Mapping) -> Any:
    """The value of one camera where it is given as `{column: value}`."""
    if not isinstance(value, Mapping):
        return value
    # Options of the codec are a mapping themselves.
    is_per_column = option != "codec_options" or (
        bool(value) and all(inner is None or isinstance(inner, Mapping) for inner in value.values())
    )
    if not is_per_column:
        return value
    unknown = [name for name in value if name not in images]
    if unknown:
        raise ValueError(f"{option}: {unknown[0]!r} is no column of images, which are {', '.join(images)}.")
    if column in value:
        return value[column]
    if option not in _DEFAULTS:
        raise ValueError(f"{option}: there is none for column {column!r}.")
    return _DEFAULTS[option]


def _camera(images: Any, options: Mapping[str, Any]) -> tuple[Iterator[tuple], int, EncodingOptions]:
    checked = encoding_options(**options)
    if isinstance(images, (str, bytes, bytearray, memoryview, os.PathLike)) or not isinstance(images, Iterable):
        raise TypeError(
            f"images must be an iterable of encoded image bytes, paths, Pillow images or arrays, got {type(images)}."
        )
    return _pictures(images, checked.apply_orientation), size_hint(images), checked


def _pictures(images: Iterable[Any], apply_orientation: bool) -> Iterator[tuple]:
    for position, image in enumerate(images):
        yield _picture(image, position, apply_orientation)


def _picture(image: Any, position: int, apply_orientation: bool) -> tuple:
    """One picture as `("path", ...)`, `("encoded", ...)` or `("raw", ...)`."""
    if isinstance(image, (str, os.PathLike)):
        return ("path", os.fsencode(image))
    if hasattr(image, "__array_interface__") and not hasattr(image, "getexif"):
        return _picture_of_array(image, position)
    if isinstance(image, bytes):
        return ("encoded", image)
    if isinstance(image, bytearray) or (isinstance(image, memoryview) and image.ndim == 1):
        return ("encoded", bytes(image))  # a copy: the caller may reuse it
    if hasattr(image, "getexif") and hasattr(image, "tobytes"):
        return _picture_of_pillow(image, position, apply_orientation)
    if hasattr(image, "to_pybytes"):  # a pyarrow buffer
        return ("encoded", image)
    if hasattr(image, "as_py"):  # a pyarrow scalar
        return _picture(image.as_py(), position, apply_orientation)
    if hasattr(image, "__array__"):
        import numpy as np

        return _picture_of_array(np.asarray(image), position)
    raise TypeError(
        f"images must contain encoded image bytes, paths, Pillow images or arrays; image {position} is {type(image)}."
    )


def _picture_of_array(array: Any, position: int) -> tuple:
    import numpy as np

    array = np.asarray(array)
    shape = array.shape
    channels = shape[2] if array.ndim == 3 else 1
    if array.ndim not in (2, 3) or channels not in (1, 3, 4) or 0 in shape:
        raise ValueError(
            f"image {position}: an array must have shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4), got {shape}."
        )
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    if kind == "u" and bits == 8:
        layout = {1: "gray8", 3: "rgb8", 4: "rgba8"}[channels]
    elif kind == "u" and bits == 16 and channels == 1:
        layout = "gray16"
    else:
        raise ValueError(f"image {position}: {_way_out_of(array, channels)}")
    # A copy: generators reuse their arrays, and pictures are encoded later. Also native byte order, rows without gaps.
    array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    height, width = shape[:2]
    return ("raw", array, layout, width, height, width * _CHANNELS[layout])


def _way_out_of(array: Any, channels: int) -> str:
    kind, name = array.dtype.kind, array.dtype
    if channels != 1 and kind == "u":
        return (
            f"a colour array must be uint8, got {name}. Scale it to 0..255 and convert it with .astype('uint8'), or "
            "store each channel as uint16 (H, W) in a video column of its own."
        )
    expected = "an array must be uint8, or uint16 (H, W) for depth and ids" if channels == 1 else "an array must be uint8"
    if kind == "b":
        return f"{expected}, got {name}. Convert a mask with .astype('uint8')."
    if kind == "f" and channels == 1:
        return (
            f"{expected}, got {name}. Give depth in a unit whose whole numbers fit, such as "
            "(metres * 1000).round().astype('uint16'), or scale it to 0..255 and convert it with .astype('uint8')."
        )
    if kind in "iu" and channels == 1:
        return f"{expected}, got {name}. Convert it with .astype('uint16') if all values are from 0 to 65535."
    return f"{expected}, got {name}. Scale it to 0..255 and convert it with .astype('uint8')."


def _picture_of_pillow(image: Any, position: int, apply_orientation: bool) -> tuple:
    if apply_orientation and image.getexif().get(0x0112, 1) != 1:
        from PIL import ImageOps

        image = ImageOps.exif_transpose(image)
    mode = image.mode
    if mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif mode in _CONVERTED_MODES:
        image = image.convert(_CONVERTED_MODES[mode])
    elif mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        image = image.convert("RGB")
    elif mode.startswith("I;16"):
        import numpy as np

        return _picture_of_array(np.asarray(image), position)
    elif mode == "I":  # what older versions of Pillow make of 16-bit files
        import numpy as np

        array = np.asarray(image)
        if array.min() >= 0 and array.max() <= 65535:
            return _picture_of_array(array.astype(np.uint16), position)
        raise ValueError(
            f"image {position}: values of Pillow mode I must be from 0 to 65535, got {array.min()} to {array.max()}."
        )
    if image.mode not in _RAW_MODES:
        raise ValueError(
            f"image {position}: Pillow mode {mode} has no 8-bit form; convert it with image.convert('RGB') or 'L'."
        )
    layout = _RAW_MODES[image.mode]
    return ("raw", image.tobytes(), layout, image.width, image.height, image.width * _CHANNELS[layout])
