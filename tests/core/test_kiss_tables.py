"""Real tables: published machines in KISS2 form, driven by random inputs."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define

from fsmkit import Fsm

ORACLES = Path(os.environ.get("FSMKIT_ORACLES", Path(__file__).parents[3] / "shared/oracles"))
TABLES = sorted((ORACLES / "kiss2").glob("*.kiss"))
needs_tables = pytest.mark.skipif(
    not TABLES, reason="the kiss2 tables are not there (FSMKIT_ORACLES)"
)


@define
class Table:
    """The rows `cube state next output` of a KISS2 file, and its header."""

    bits: int
    states: int
    reset: str
    rows: list[tuple[str, str, str]]

    @classmethod
    def read(cls, path: Path) -> "Table":
        header: dict[str, str] = {}
        rows = []
        for line in path.read_text().splitlines():
            words = line.split()
            if line.startswith("."):
                header[words[0]] = words[-1]
            elif words:
                rows.append((words[0], words[1], words[2]))
        return cls(int(header[".i"]), int(header[".s"]), header[".r"], rows)

    def next_state(self, state: str, word: str) -> str:
        """The state that `word` leads to: a plain search through the rows."""
        for cube, here, there in self.rows:
            if here == state and all(c in ("-", bit) for c, bit in zip(cube, word, strict=True)):
                return there
        raise LookupError(state, word)

    def words_of(self, cube: str) -> Iterator[str]:
        """Every input word that a cube stands for."""
        free = cube.count("-")
        for number in range(2**free):
            bits = iter(f"{number:0{free}b}" if free else "")
            yield "".join(next(bits) if c == "-" else c for c in cube)


def build(table: Table) -> Fsm:
    """One event per input word."""
    fsm = Fsm("table", on_unhandled="ignore")
    for name in dict.fromkeys(state for _, state, _ in table.rows):
        fsm.add_state(name)
    for cube, here, there in table.rows:
        for word in table.words_of(cube):
            if word not in fsm.states[here].transitions:
                fsm.states[here].add_transition(word, there)
    return fsm


@pytest.mark.slow
@needs_tables
@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_a_machine_built_from_a_table_follows_it(path: Path) -> None:
    table = Table.read(path)
    fsm = build(table)
    assert len(fsm.states) == table.states
    rng = random.Random(path.stem)
    state = table.reset
    fsm.start(state)
    for _ in range(10_000):
        word = f"{rng.getrandbits(table.bits):0{table.bits}b}"
        state = table.next_state(state, word)
        assert fsm.send_event(word) is True
        assert fsm.current_state.name == state
        assert fsm.send_event(f"{word}0") is False, "an input that the table does not specify"
