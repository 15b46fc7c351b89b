"""ScriptLoader: loads a file as Python loads a script."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from types import CodeType


class ScriptLoader(SourceFileLoader):
    """Compiles a file each time, without a cache, which may miss a change within a second."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  # the signature is Python's
        return self.source_to_code(self.get_data(self.path), self.path)
