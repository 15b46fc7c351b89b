"""read_image: a map from an image, by its brightness or by its colours. Needs Pillow."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, cast

from fsmkit.core.checks import arguments
from fsmkit.pathfinding.costs import checked_cost
from fsmkit.pathfinding.maps import CostRows, FileMap

if TYPE_CHECKING:
    from PIL.Image import Image

ImageSource: TypeAlias = "str | PathLike[str] | BinaryIO | Image"
"""A file, or an image of Pillow."""

PixelColor: TypeAlias = str | Sequence[int]
"""A name such as `"white"`, `"#rrggbb"`, `(red, green, blue)`, or these with an alpha value."""

OPAQUE: Final = 255
TRANSPARENT: Final = "transparent"
"""The name of all colours that cannot be seen."""


def read_image(
    file: ImageSource,
    costs: Mapping[PixelColor, float] | None = None,
    *,
    threshold: float = 128,
    share: float = 0.5,
    tile: int | tuple[int, int] | None = None,
) -> FileMap:
    threshold = arguments.number(
        threshold, "Grid.from_image: threshold, a brightness,", least=0, most=256, error=ValueError
    )
    share = arguments.number(
        share, "Grid.from_image: share, the dark part of a wall,", above=0, most=1, error=ValueError
    )
    known = None if costs is None else _checked_costs(costs)
    with _opened(file) as image:
        name = _name_of(file)
        width, height = _tile_size(tile, image, name)
        if known is None:
            rows = _by_brightness(image, (width, height), threshold, share)
        else:
            rows = _by_colours(image, (width, height), known, name)
    if tile is None:
        return FileMap(rows, (1.0, 1.0), (0.0, 0.0))
    return FileMap(rows, (float(width), float(height)), (width / 2, height / 2))


def _by_brightness(image: Image, size: tuple[int, int], threshold: float, share: float) -> CostRows:
    """Return 0 where at least a share of the pixels is dark, otherwise 1."""
    pillow = _pillow()
    paper = pillow.new("RGBA", image.size, "white")
    grey = pillow.alpha_composite(paper, _with_eight_bits(image).convert("RGBA")).convert("L")
    dark = grey.point([float(level < threshold) for level in range(256)], "F")
    columns, count = image.width // size[0], image.height // size[1]
    shares = memoryview(dark.resize((columns, count), pillow.Resampling.BOX).tobytes()).cast("f")
    least = share - 1e-6  # the shares have the precision of 32 bits
    return [
        [0.0 if each >= least else 1.0 for each in shares[start : start + columns]]
        for start in range(0, columns * count, columns)
    ]


def _by_colours(
    image: Image, size: tuple[int, int], costs: Mapping[int, float], name: str
) -> CostRows:
    pixels = memoryview(_with_eight_bits(image).convert("RGBA").tobytes()).cast("I")
    width, height = size
    known = {pixel: costs.get(_seen(pixel)) for pixel in set(pixels)}
    rows: CostRows = []
    for y in range(height // 2, image.height, height):
        rows.append([])
        for x in range(width // 2, image.width, width):
            pixel = pixels[y * image.width + x]
            cost = known[pixel]
            if cost is None:
                raise _unknown_colour(pixel, (x, y), (x // width, y // height), name)
            rows[-1].append(cost)
    return rows


def _seen(pixel: int) -> int:
    """Return a pixel; all that are wholly transparent are the same."""
    return pixel if pixel.to_bytes(4, sys.byteorder)[3] else 0


def _unknown_colour(
    pixel: int, place: tuple[int, int], tile: tuple[int, int], name: str
) -> ValueError:
    red, green, blue, alpha = pixel.to_bytes(4, sys.byteorder)
    colour = f"#{red:02x}{green:02x}{blue:02x}" + (f"{alpha:02x}" if alpha < OPAQUE else "")
    return ValueError(
        f"{name}: the colour {colour if alpha else repr(TRANSPARENT)} of the pixel {place}, tile "
        f"{tile}, has no cost. Add it to costs, or save the image without smoothed edges."
    )


def _checked_costs(costs: object) -> dict[int, float]:
    """Return pixel -> cost. The keys of `costs` are colours."""
    if not isinstance(costs, Mapping) or not costs:
        raise TypeError(
            "Grid.from_image: costs must be a mapping of colours to numbers, such as "
            f'{{"white": 1, "#0000ff": 5, "black": 0}}, got {costs!r}.'
        )
    known: dict[int, float] = {}
    for colour, cost in costs.items():
        pixel = int.from_bytes(_rgba(colour), sys.byteorder)
        if pixel in known:
            raise ValueError(
                f"Grid.from_image: costs must name each colour once, but {colour!r} is another "
                "name for one of them. Remove one of the two."
            )
        known[pixel] = checked_cost(cost, f"Grid.from_image: the cost of the colour {colour!r}")
    return known


def _rgba(colour: Any) -> bytes:
    if colour == TRANSPARENT:
        return bytes(4)
    try:
        numbers = _colours().getrgb(colour) if isinstance(colour, str) else colour
        channels = bytes(tuple(numbers))
    except (TypeError, ValueError):
        channels = b""
    if len(channels) not in (3, 4):
        raise ValueError(
            'Grid.from_image: a colour must be a name ("white"), "#rrggbb", (red, green, blue) '
            f'with numbers from 0 to 255, or "transparent", got {colour!r}.'
        )
    rgba = (channels + bytes([OPAQUE]))[:4]
    return rgba if rgba[3] else bytes(4)


def _with_eight_bits(image: Image) -> Image:
    """Return an image with eight bits for each channel, which all conversions start from."""
    if not image.mode.startswith("I"):
        return image
    return image.convert("I").point(lambda level: level * (1 / 256)).convert("L")


def _opened(file: ImageSource) -> AbstractContextManager[Image]:
    pillow = _pillow()
    if isinstance(file, pillow.Image):
        return nullcontext(cast("Image", file))
    try:
        image: Image = pillow.open(file)
    except pillow.UnidentifiedImageError:
        raise ValueError(f"{_name_of(file)}: this is not an image that Pillow can read.") from None
    except (AttributeError, TypeError):
        raise TypeError(
            "Grid.from_image: file must be a path, a file open for reading bytes, or an image of "
            f"Pillow, got {file!r}."
        ) from None
    try:
        image.load()
    except (OSError, SyntaxError, ValueError) as error:
        image.close()
        raise ValueError(f"{_name_of(file)}: the image is damaged: {error}.") from None
    return image


def _tile_size(tile: Any, image: Image, name: str) -> tuple[int, int]:
    """Return the width and the height of a tile in pixels."""
    if tile is None:
        return 1, 1
    pair = (tile, tile) if isinstance(tile, Integral) else tile
    is_pair = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    if not is_pair or not all(isinstance(each, Integral) and int(each) > 0 for each in pair):
        raise ValueError(
            "Grid.from_image: tile must be the width and the height of a tile in pixels, two "
            f"integers > 0, got {tile!r}."
        )
    width, height = map(int, pair)
    if image.width % width or image.height % height:
        raise ValueError(
            f"{name}: an image of {image.width} by {image.height} pixels cannot be divided into "
            f"tiles of {width} by {height}. Crop it, or give another tile."
        )
    return width, height


def _name_of(file: object) -> str:
    name = file if isinstance(file, str | PathLike) else getattr(file, "filename", None)
    name = name or getattr(file, "name", None) or "Grid.from_image"
    return str(name)


def _colours() -> Any:
    from PIL import ImageColor

    return ImageColor


def _pillow() -> Any:
    try:
        import PIL.Image  # a statement, which freezers see
    except ImportError:
        raise ImportError(
            "Grid.from_image needs Pillow, and it is not installed. Install it with "
            "`pip install 'fsmkit[maps]'`."
        ) from None
    return PIL.Image
