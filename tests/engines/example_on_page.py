"""The examples of the pages in docs/engines, to be run as they are shown there."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

PAGES = Path(__file__).parents[2] / "docs" / "engines"


def example(engine: str, beginning: str) -> str:
    """Return the code block on the page of an engine whose first line begins like this."""
    page = (PAGES / f"{engine}.md").read_text(encoding="utf-8")
    blocks = [part.split("\n```")[0] for part in page.split("```py\n")[1:]]
    (block,) = (block for block in blocks if block.startswith(beginning))
    return block


def play(folder: Path, before: str, block: str, after: str = "") -> list[str]:
    """Run a block as a program of its own, between other code, and return what that prints."""
    program = folder / "game.py"
    program.write_text("\n".join((dedent(before), block, dedent(after))), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program.name], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
