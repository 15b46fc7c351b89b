"""A client of `fsmkit mcp`, which runs in a process of its own, as an agent's would."""

import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any


class Tools:
    """Calls the tools of a server."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def content(self, tool: str, **arguments: Any) -> tuple[bool, Any]:
        """Return whether the tool failed, and the one part of its answer."""
        result = await self.client.call_tool(tool, arguments)
        (part,) = result.content
        return bool(result.is_error), part

    async def text(self, tool: str, **arguments: Any) -> str:
        """Return the text of an answer, or of a failure."""
        return str((await self.content(tool, **arguments))[1].text)

    async def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        failed, part = await self.content(tool, **arguments)
        assert not failed, part.text
        return dict(json.loads(part.text))


@asynccontextmanager
async def served(folder: Path, *options: str) -> AsyncIterator[Tools]:
    from mcp import Client, StdioServerParameters, stdio_client  # here: it may not be installed

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "fsmkit", "mcp", str(folder), *options],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    async with Client(stdio_client(server)) as client:
        yield Tools(client)


def has_ended(pid: int) -> bool:
    """Return True once a process is gone, or waits only to be collected."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
