"""Checks: mistakes that can be found in a machine before it runs.

`check` returns a list of findings. Each has a code, a severity, a place, a sentence that describes
the problem, and what to do about it. The page "Checks" of the documentation shows every code.
"""

from fsmkit.checking.checker import check
from fsmkit.checking.finding import CODES, Finding, Place, Severity

__all__ = ["CODES", "Finding", "Place", "Severity", "check"]
