"""The results of a run of the benchmark, and how its figures are put together."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from measuring import Memory, Timing


@dataclass
class Series:
    """The timings of one contestant at one workload, one for each round."""

    size: int
    seconds: list[float] = field(default_factory=list)
    """For one operation."""
    ratios: list[float] = field(default_factory=list)
    """To the hand-written contestant, each within its round."""

    def add(self, timing: Timing, baseline: float | None) -> None:
        """Add a timing; `baseline` is what the hand-written one needed for an operation."""
        self.seconds.append(timing.per_operation)
        if baseline is not None:
            self.ratios.append(timing.per_operation / baseline)

    @property
    def per_operation(self) -> float:
        """Seconds for one operation: the median of the rounds."""
        return median(self.seconds)

    @property
    def ratio(self) -> float | None:
        """The median of the paired ratios; None without a hand-written timing."""
        return median(self.ratios) if self.ratios else None


@dataclass
class Imports:
    """Seconds to run an import in a fresh interpreter and seconds to run nothing, by round."""

    seconds: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    @property
    def difference(self) -> float:
        """The cost of the import: the median of the paired differences."""
        return median(loaded - bare for loaded, bare in zip(self.seconds, self.bare, strict=True))


@dataclass
class Entry:
    """The figures of one contestant."""

    name: str
    version: str | None
    remark: str
    has_kernel: bool
    series: dict[str, Series] = field(default_factory=dict)
    memory: Memory | None = None
    imports: Imports | None = None


@dataclass
class Results:
    """A whole run."""

    rounds: int
    environment: dict[str, str]
    entries: list[Entry] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def environment() -> dict[str, str]:
    """Return where and when the figures were taken."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "cpu": cpu_model(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
    }


def cpu_model() -> str:
    """Return the processor's name, where the system knows it."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
