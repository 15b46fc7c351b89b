"""The tiles of a layer, as Tiled writes them: as numbers with commas, packed, or in XML."""

from __future__ import annotations

import gzip
import sys
import zlib
from array import array
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from attrs import frozen

FLAGS: Final = 0xF0000000
"""The bits of a number that say how the tile is turned."""

UNPACK: Final[dict[str | None, Callable[[bytes], bytes]]] = {
    None: bytes, "": bytes, "zlib": zlib.decompress, "gzip": gzip.decompress,
}  # fmt: skip


@frozen
class Chunk:
    """A rectangle of tiles. A finite layer has one; an infinite one has those that were drawn."""

    x: int
    y: int
    width: int
    numbers: array[int]
    """The number of each tile, row by row, however it is turned; 0 where there is none."""

    def tiles(self) -> Iterator[tuple[int, int, int]]:
        """Yield the column, the row and the number of every tile there is."""
        for index, number in enumerate(self.numbers):
            if number:
                row, column = divmod(index, self.width)
                yield self.x + column, self.y + row, number


def chunks_of(layer: Element, what: str) -> Iterator[Chunk]:
    """Yield the tiles of a layer. Raises ValueError if they cannot be read; `what` is its name."""
    data = layer.find("data")
    if data is None:
        raise ValueError(f"{what} has no <data>.")
    if not len(data) and not (data.text or "").strip():
        return  # nothing was drawn on it
    for node in data.findall("chunk") or [data]:
        place = layer if node is data else node
        try:
            x, y = (int(place.get(name, 0)) if node is not data else 0 for name in ("x", "y"))
            width, height = (int(place.get(name, 0)) for name in ("width", "height"))
            numbers = _numbers(node, data.get("encoding"), data.get("compression"))
        except (ValueError, OverflowError, EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{what}: its tiles cannot be read: {error}.") from None
        if len(numbers) != width * height:
            raise ValueError(f"{what}: there must be {width} x {height} tiles, got {len(numbers)}.")
        yield Chunk(x, y, width, array("L", (number & ~FLAGS for number in numbers)))


def _numbers(node: Element, encoding: str | None, compression: str | None) -> array[int]:
    text = (node.text or "").strip()
    if encoding == "csv":
        return array("L", map(int, text.split(",")) if text else ())
    if encoding == "base64":
        return _packed(text, compression)
    if encoding:
        raise ValueError(f"the encoding {encoding!r} is not known")
    return array("L", (int(tile.get("gid", 0)) for tile in node.findall("tile")))


def _packed(text: str, compression: str | None) -> array[int]:
    if compression not in UNPACK:
        raise ValueError(
            f"the compression {compression!r} is not supported; in Tiled choose CSV, or base64 "
            "with zlib, as the Tile Layer Format of the map"
        )
    content = UNPACK[compression](b64decode(text, validate=False))
    numbers = array("I")  # four bytes each, the smallest first
    numbers.frombytes(content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
