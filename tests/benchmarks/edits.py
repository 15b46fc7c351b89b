"""How many edits of machines `fsmkit.editing` can write, and why it refuses the others.

    python tests/benchmarks/edits.py [FILE...]     # by default the examples and `fsmkit new`

Each edit that somebody could ask for is tried once: nothing is written. Prints the tables of
docs/editing.md. Takes two minutes.
"""

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from report import aligned

from fsmkit import Fsm
from fsmkit.cli.targets import apart, find
from fsmkit.editing import (
    AddAction,
    AddState,
    AddTransition,
    Edit,
    Editor,
    MoveAction,
    RefusedEditError,
    RemoveAction,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
    SharedEditError,
)
from fsmkit.introspection import walk
from fsmkit.recording.action_fields import parameters_of

EXAMPLES = Path(__file__).parents[2] / "examples"
OUTCOMES = ("written", "everywhere", "refused")


def edits(editor: Editor) -> Iterator[Edit]:
    """Yield the edits of the machines of a file, one of those that the same lines build."""
    built, seen = editor.built(), set()
    for name, machine in built.machines.items():
        states = [*machine.states.values()]
        first = built.trace(states[0])[:1] if states else ()
        if states and first not in seen:
            seen.add(first)
            yield AddState("Edited", machine=name)
            for number, state in enumerate(states):
                yield from of_state(name, state, states[(number + 1) % len(states)])
            owners: tuple[walk.TransitionOwner, ...] = (
                *walk.states(machine),
                *walk.groups(machine),
            )
            for owner in (*owners, machine):
                yield from of_transitions(name, owner, machine)


def of_state(machine: str, state: Any, following: Any) -> Iterator[Edit]:
    yield RenameState(state.name, f"{state.name}X", machine=machine)
    yield RemoveState(state.name, machine=machine)
    yield AddTransition(state.name, "EDITED", following.name, machine=machine)
    yield AddAction(state.name, "TimedWait", {"duration": 1.5}, machine=machine)
    for index in range(len(state.actions)):
        yield RemoveAction(state.name, index, machine=machine)
    if len(state.actions) > 1:
        yield MoveAction(state.name, 0, 1, machine=machine)
    for path, action in walk.paths(state):
        for parameter, value in parameters_of(action).items():
            if (new := another(value)) is not None:
                name = parameter.removeprefix("_")
                yield SetParameter(state.name, path, name, new, machine=machine)


def of_transitions(name: str, owner: walk.TransitionOwner, machine: Fsm[Any]) -> Iterator[Edit]:
    source = None if owner is machine else owner.name
    for event, same in walk.table(owner).items():
        for rank, each in enumerate(same):
            before = {source, getattr(each.target, "name", None)}
            if others := [state for state in machine.states if state not in before]:
                yield Retarget(source, event, others[0], rank, machine=name)
            yield RenameEvent(source, event, "EDITED", rank, machine=name)
            yield RemoveTransition(source, event, rank, machine=name)


def another(value: object) -> object:
    """Return another value of the same kind; None if there is no literal for that."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return round(value * 2 + 0.25, 4)
        case str():
            return f"{value}_2"
        case tuple() if value and all(type(each) in (int, float) for each in value):
            return tuple(each + 1.5 for each in value)
    return None


def outcome(editor: Editor, edit: Edit) -> tuple[str, str]:
    """Return how an edit ends, and the reason if it is refused."""
    try:
        editor.proposed(edit)
    except SharedEditError:
        return tried_everywhere(editor, edit)
    except RefusedEditError as refused:
        return "refused", refused.reason
    return "written", ""


def tried_everywhere(editor: Editor, edit: Edit) -> tuple[str, str]:
    try:
        editor.proposed(edit, everywhere=True)
    except RefusedEditError as refused:
        return "refused", refused.reason
    return "everywhere", ""


def in_general(reason: str) -> str:
    """Return a reason without the names and numbers of one case."""
    reason = re.sub(r"does not build its machines: .*", "would not build its machines", reason)
    reason = re.sub(r"'[^']*'|`[^`]*`|<[^>]*>", "...", re.sub(r"\d+", "some", reason))
    return re.sub(r"^\S+ would change", "the machine would change", reason)


def kind_of(edit: Edit) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", type(edit).__name__).lower()


def new_files() -> list[Path]:
    """Write what `fsmkit new` writes, for no engine and for each."""
    folder, files = Path(mkdtemp()), []
    for engine in ("", "pygame", "arcade", "pyglet", "panda3d", "ursina", "raylib"):
        files.append(folder / f"{engine or 'plain'}_guard.py")
        command = [sys.executable, "-m", "fsmkit", "new", str(files[-1])]
        subprocess.run(
            [*command, *(["--engine", engine] * bool(engine))],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return files


def main(files: list[Path]) -> None:
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    of_files: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    for path in files:
        with apart():
            editor = Editor(find(str(path)).function, "/")
            here = of_files[path.name] = Counter()
            for edit in [*edits(editor)]:
                how, reason = outcome(editor, edit)
                kinds[kind_of(edit)][how] += 1
                here[how] += 1
                reasons[in_general(reason)] += how == "refused"
    whole = [name for name, counts in of_files.items() if not counts["refused"]]
    print(*rows("edit", {**kinds, "all": sum(kinds.values(), Counter())}), sep="\n")
    print(f"\n{len(whole)} of {len(files)} files wholly; the others:\n")
    print(*rows("file", {n: c for n, c in of_files.items() if n not in whole}), sep="\n")
    why = [[reason, f"{number}"] for reason, number in reasons.most_common() if number]
    print("", *aligned([["refused because", "edits"], *why]), sep="\n")


def rows(title: str, counted: dict[str, Counter[str]]) -> list[str]:
    lines = [
        [name, *(f"{counts[each]:,}" for each in OUTCOMES), f"{share(counts):.0%}"]
        for name, counts in counted.items()
    ]
    return aligned([[title, *OUTCOMES, "done"], *lines])


def share(counts: Counter[str]) -> float:
    return 1 - counts["refused"] / max(1, counts.total())


if __name__ == "__main__":
    named = [Path(each).resolve() for each in sys.argv[1:]]
    examples = sorted(EXAMPLES.glob("*.py")) + sorted((EXAMPLES / "cookbook").glob("*.py"))
    main(named or [*examples, EXAMPLES / "night_guard" / "guards.py", *new_files()])
