"""The tools that make the documentation can be imported, as `making`."""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

if str(DOCS) not in sys.path:
    sys.path.append(str(DOCS))
