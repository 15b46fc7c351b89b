"""Every action of the library."""

from __future__ import annotations

from typing import Final

import composites
import movements
import values
from twins import Case

CASES: Final[dict[str, Case]] = values.CASES | movements.CASES | composites.CASES
