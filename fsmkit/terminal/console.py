"""Lines in columns, bars and colours, as far as the terminal can show them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Final, TextIO
from unicodedata import combining, east_asian_width

BLOCKS: Final = " ▏▎▍▌▋▊▉█"
"""From nothing to a full block, in eighths."""

COLUMNS: Final = 80
"""The width of what is no terminal."""

JOINERS: Final = "\u200c\u200d"
"""Characters that are invisible, but part of a letter or an emoji."""

STYLES: Final = {"faint": "2", "bold": "1", "red": "31", "yellow": "33", "cyan": "36"}


class Console:
    """Writes lines to `stream`, a terminal or not.

    Colours are used on terminals only, and not if `environment` has NO_COLOR (https://no-color.org)
    or TERM=dumb. Bars are made of blocks, or of `#` if the encoding of the stream has none. `live`
    shows each line at once.
    """

    def __init__(
        self, stream: TextIO, *, live: bool = False, environment: Mapping[str, str] = os.environ
    ) -> None:
        self.stream = stream
        self.live = live
        wanted = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        self.has_colours = wanted and stream.isatty()
        self.encoding: str = getattr(stream, "encoding", None) or "utf-8"  # None: it takes any text
        self.has_blocks = _can_encode(BLOCKS, self.encoding)

    @property
    def columns(self) -> int:
        """The width of the terminal; 80 where that is unknown, and where there is none."""
        if not self.stream.isatty():
            return COLUMNS
        return shutil.get_terminal_size((COLUMNS, 24)).columns

    def line(self, text: str = "") -> None:
        self.stream.write(f"{text.rstrip()}\n")
        if self.live:
            self.stream.flush()

    def shown(self, name: str) -> str:
        r"""Return `name` as it can be written here, with escapes such as `\n` where needed.

        >>> import sys
        >>> print(Console(sys.stdout).shown("two\nlines"))
        two\nlines
        """
        encodable = name.encode(self.encoding, "backslashreplace").decode(self.encoding)
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in encodable)

    def styled(self, text: str, style: str) -> str:
        return f"\033[{STYLES[style]}m{text}\033[0m" if self.has_colours and text else text

    def bar(self, share: float, columns: int) -> str:
        """Return a bar over `share`, from 0 to 1, of the columns; visible for any share above 0."""
        if not self.has_blocks:
            return "#" * (max(1, round(share * columns)) if share > 0.0 else 0)
        eighths = max(1, round(share * columns * 8)) if share > 0.0 else 0
        return BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()


def width(text: str) -> int:
    """Return the number of columns that `text` takes on a terminal.

    >>> width("Patrol"), width("巡逻")
    (6, 4)
    """
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return `text`, or as much of it as fits, with an ellipsis.

    >>> cut("Patrol", 6), cut("Patrol", 4), cut("巡逻", 3)
    ('Patrol', 'Pat…', '巡…')
    """
    if width(text) <= columns:
        return text
    while text and width(text) >= columns:
        text = text[: columns - 1] if len(text) > columns else text[:-1]
    return f"{text}…" if columns > 0 else ""


def wrapped(text: str, columns: int) -> Iterator[str]:
    """Yield `text` in lines that fit, broken between words; a longer word is a line by itself.

    >>> list(wrapped("Nothing leads out of here.", 14))
    ['Nothing leads', 'out of here.']
    """
    line = ""
    for word in text.split(" "):
        if line and width(line) + width(word) >= columns:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


PAPER: Final = Console(StringIO(), environment={})
"""A console without colours that can write any text."""


def printable(text: str) -> str:
    r"""Return `text` in one line, with escapes such as `\n` for invisible characters.

    >>> print(printable("two\nlines"))
    two\nlines
    """
    return "".join(c if c.isprintable() or c in JOINERS else ascii(c)[1:-1] for c in text)


def described(value: object) -> str:
    """Return the repr of `value`, or the name of its class if its `__repr__` fails."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
