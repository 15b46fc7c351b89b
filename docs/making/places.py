"""Where things are in the repository."""

import os
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1]
ROOT: Final = DOCS.parent
EXAMPLES: Final = ROOT / "examples"


def link(page: Path, target: Path) -> str:
    """Return the path from a page to a file, as links and images have it."""
    return Path(os.path.relpath(target, page.parent)).as_posix()
