"""A scripted agent that knows nothing but the tools' answers mends the planted mistakes."""

import asyncio
from pathlib import Path

import pytest
from planted import GUARD, MISTAKES, OUTSIDE, planted
from scripted_agent import ScriptedAgent
from served import served

AT_ONCE = 2


async def mended(folder: Path) -> dict[str, ScriptedAgent | None]:
    """Return the mistakes, each with the agent that has mended it, or None."""
    places = asyncio.Semaphore(AT_ONCE)
    found: dict[str, ScriptedAgent | None] = {}

    async def mend(number: int, name: str) -> None:
        (folder / f"guard_{number}.py").write_text(planted(MISTAKES[name]))
        agent = ScriptedAgent(tools, f"guard_{number}.py", OUTSIDE)
        async with places:
            found[name] = agent if await agent.mends() else None

    async with served(folder, "--edit") as tools:
        await asyncio.gather(*(mend(number, name) for number, name in enumerate(MISTAKES)))
    return found


@pytest.mark.slow
def test_an_agent_mends_the_planted_mistakes(tmp_path: Path) -> None:
    found = asyncio.run(mended(tmp_path))
    assert [name for name, agent in found.items() if agent is None] == []
    for name, agent in found.items():
        assert agent is not None
        named = [
            (each["code"], " ".join(filter(None, map(each["place"].get, ("state", "action")))))
            for each in agent.first
        ]
        code, place, _ = MISTAKES[name]
        assert (code, place) in named
    for number, name in enumerate(MISTAKES):
        text = (tmp_path / f"guard_{number}.py").read_text()
        assert text != planted(MISTAKES[name])
        compile(text, name, "exec")
    unchanged = GUARD.count("def ")
    assert all(path.read_text().count("def ") == unchanged for path in tmp_path.glob("guard_*.py"))
