"""Lets the tests of this folder import `served` and `scripted_agent`; skips them without mcp."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

NEEDS_MCP = {"test_planted_mistakes.py", "test_server.py"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if find_spec("mcp") is None:
        for item in items:
            if item.path.parent == Path(__file__).parent and item.path.name in NEEDS_MCP:
                item.add_marker(pytest.mark.skip("mcp is not installed"))
