"""Places: which line has added a state, a transition or an action."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from attrs import define

from actions import Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmError, FsmState
from fsmkit.classic import FsmSystem, State
from fsmkit.crowd import CrowdFsm
from fsmkit.introspection import definition_sites as noting
from fsmkit.introspection.code_place import CodePlace
from fsmkit.introspection.definition_sites import noting_places

HERE = str(Path(__file__).resolve())
LINES = Path(HERE).read_text("utf-8").splitlines()


def at(mark: str) -> CodePlace:
    """The line of this file that ends with a comment `(mark)`."""
    (line,) = (number for number, text in enumerate(LINES, 1) if text.endswith(f"# ({mark})"))
    return CodePlace(HERE, line)


def methods() -> list[tuple[type, dict[str, Any]]]:
    """Everything in the classes of machines and states, in order."""
    return [(kind, dict(vars(kind))) for root in (Fsm, FsmState) for kind in root.__mro__]


@pytest.fixture(autouse=True)
def _often_enough(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test put the methods back, however many came before it."""
    monkeypatch.setattr(noting, "_times", 0)
    with noting_places():  # or those of earlier tests may still be there
        pass
    before = methods()
    yield
    assert methods() == before


def build() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Guard")
    patrol = fsm.add_state("Patrol")  # (patrol)
    alarm = fsm.add_state("Alarm")  # (alarm)
    patrol.add_transition("SEEN", alarm)  # (seen)
    patrol.add_transition("HEARD", alarm, when=lambda: True)  # (heard first)
    patrol.add_transition("HEARD", patrol)  # (heard then)
    alarm.add_action(  # (sequence)
        Sequence(
            TimedWait(1.0),
            TimedWait(2.0),
        )
    )
    alarm.add_action(TimedWait(1.0))  # (wait)
    fsm.add_global_transition("RESET", "Patrol")  # (reset)
    return fsm


def test_states_actions_and_transitions_have_the_line_that_added_them() -> None:
    with noting_places() as places:
        fsm = build()
    patrol, alarm = fsm.states.values()
    assert [places.of(state) for state in (patrol, alarm)] == [at("patrol"), at("alarm")]
    assert [places.of(action) for action in alarm.actions] == [at("sequence"), at("wait")]
    assert [places.of(child) for child in alarm.actions[0].children] == [at("sequence")] * 2
    ways = [way for ways in patrol.transitions.values() for way in ways]
    assert [places.of_transition(patrol, way) for way in ways] == [
        at("seen"), at("heard first"), at("heard then"),
    ]  # fmt: skip
    (reset,) = fsm.global_transitions["RESET"]
    assert places.of_transition(fsm, reset) == at("reset")


def test_a_transition_of_another_owner_is_not_mistaken_for_it() -> None:
    with noting_places() as places:
        fsm = build()
    patrol, alarm = fsm.states.values()
    (seen,), (reset,) = patrol.transitions["SEEN"], fsm.global_transitions["RESET"]
    assert places.of_transition(alarm, seen) is None
    assert places.of_transition(patrol, reset) is None


def test_what_was_added_before_and_after_has_no_line() -> None:
    fsm = build()
    with noting_places() as places:
        pass
    fsm.states["Patrol"].add_action(TimedWait(1.0))
    for state in (*fsm.states.values(), *build().states.values()):
        assert places.of(state) is None
        assert [places.of(action) for action in state.actions] == [None] * len(state.actions)
        for way in (way for ways in state.transitions.values() for way in ways):
            assert places.of_transition(state, way) is None


def test_what_is_removed_and_added_again_has_the_new_line() -> None:
    with noting_places() as places:
        fsm = build()
        patrol = fsm.states["Patrol"]
        patrol.remove_transition("SEEN")
        seen = patrol.add_transition("SEEN", "Alarm")  # (seen again)
        alarm = fsm.states["Alarm"]
        wait = alarm.actions[1]
        alarm.remove_action(wait)
        patrol.add_action(wait)  # (wait again)
    assert places.of_transition(patrol, seen) == at("seen again")
    assert places.of(wait) == at("wait again")


def test_the_line_is_that_of_the_innermost_function_of_the_user() -> None:
    def link(source: FsmState[Any], event: str) -> None:
        source.add_transition(event, source)  # (link)

    with noting_places() as places:
        fsm: Fsm[None] = Fsm("Guard")
        state = fsm.add_state("Patrol")
        link(state, "A")
        names = ["Rest", "Alarm"]
        list(map(fsm.add_state, names))  # (map)
    assert places.of_transition(state, state.transitions["A"][0]) == at("link")
    assert [places.of(fsm.states[name]) for name in names] == [at("map")] * 2


class Own(Fsm[None]):
    def add_state(self, name: str, *, final: bool = False) -> FsmState[None]:
        return super().add_state(name.title(), final=final)  # (own)


def test_a_subclass_may_override_and_call_super() -> None:
    with noting_places() as places:
        fsm = Own("Guard")
        state = fsm.add_state("patrol")
    assert (list(fsm.states), places.of(state)) == (["Patrol"], at("own"))


@define
class Agent:
    x: float = 0.0


def test_machines_of_other_styles_are_noted_where_the_user_calls() -> None:
    with noting_places() as places:
        classic = FsmSystem("Classic")
        classic.add_state(State(Enum("Id", "IDLE").IDLE))  # (classic)
        walk = CrowdFsm("Crowd", Agent).add_state("Walk")  # (crowd)
    (idle,) = classic.machine.states.values()
    assert (places.of(idle), places.of(walk)) == (at("classic"), at("crowd"))


def test_what_fails_is_not_noted_and_its_error_is_the_same() -> None:
    with noting_places() as places:
        fsm = build()
        with pytest.raises(FsmError, match="has a state 'Patrol' already"):
            fsm.add_state("Patrol")
        with pytest.raises(TypeError, match="takes an instance of an FsmAction"):
            fsm.states["Patrol"].add_action(TimedWait)  # type: ignore[arg-type, type-var]
    assert places.of(fsm.states["Patrol"]) == at("patrol")


def test_the_methods_are_put_back_after_an_error_too() -> None:
    before = methods()
    with pytest.raises(KeyError), noting_places():
        raise KeyError
    assert methods() == before


def test_the_methods_keep_their_names_and_texts_meanwhile() -> None:
    name, text = FsmState.add_action.__name__, FsmState.add_action.__doc__
    with noting_places():
        assert (FsmState.add_action.__name__, FsmState.add_action.__doc__) == (name, text)


def test_nested_and_overlapping_uses_note_each_for_itself() -> None:
    first, second = noting_places(), noting_places()
    outer = first.__enter__()
    fsm: Fsm[None] = Fsm("Guard")
    a = fsm.add_state("A")
    inner = second.__enter__()
    b = fsm.add_state("B")
    first.__exit__(None, None, None)
    c = fsm.add_state("C")
    second.__exit__(None, None, None)
    d = fsm.add_state("D")
    known = [[places.of(state) is not None for state in (a, b, c, d)] for places in (outer, inner)]
    assert known == [[True, True, False, False], [False, True, True, False]]


def test_other_threads_are_noted_too() -> None:
    built: list[Fsm[None]] = []
    with noting_places() as places:
        threads = [Thread(target=lambda: built.append(build())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [places.of(fsm.states["Alarm"]) for fsm in built] == [at("alarm")] * 4


def test_after_many_times_the_methods_stay_and_note_nothing_at_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = methods()
    with monkeypatch.context() as patch:
        patch.setattr(noting, "_times", noting.MAX_TIMES - 1)
        for _ in range(3):
            with noting_places() as places:
                fsm = build()
            assert methods() != before
            assert places.of(fsm.states["Alarm"]) == at("alarm")
            assert places.of(build().states["Alarm"]) is None
    with noting_places():  # puts back again, with the count as it was
        pass


def load(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(folder: Path) -> Any:
    """A module that is installed, and adds to machines."""
    file = folder / "lib/python3.11/site-packages/guards.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "from fsmkit import Fsm\ndef add_to(fsm):\n    return fsm.add_state('Patrol')\n", "utf-8"
    )
    spec = spec_from_file_location("guards", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_package_that_adds_for_the_user_is_passed_over(tmp_path: Path) -> None:
    guards = package(tmp_path)
    with noting_places() as places:
        state = guards.add_to(Fsm("Guard"))  # (for the user)
    assert places.of(state) == at("for the user")


def test_a_package_that_is_called_by_a_machine_is_named(tmp_path: Path) -> None:
    guards = package(tmp_path)
    built: Fsm[None] = Fsm("Built")
    fsm: Fsm[None] = Fsm("Builder")
    fsm.add_state("A").add_transition("ADD", "A", do=partial(guards.add_to, built))
    with noting_places() as places, fsm.running():
        fsm.send_event("ADD")
    assert places.of(built.states["Patrol"]) == CodePlace(guards.__file__, 3)


def test_code_that_is_in_no_file_has_no_line() -> None:
    with noting_places() as places:
        states = [
            eval(compile("fsm.add_state('A')", name, "eval"), {"fsm": Fsm("Guard")})
            for name in ("<stdin>", "/nowhere/at/all.py")
        ]
    assert [places.of(state) for state in states] == [None, None]


def test_the_standard_library_never_counts_as_the_caller() -> None:
    fsm: Fsm[None] = Fsm("Guard")
    with noting_places() as places, ThreadPoolExecutor(1) as pool:
        state = pool.submit(fsm.add_state, "A").result()
    assert places.of(state) is None


def test_places_show_their_path_relative_to_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inside, outside = tmp_path / "a b" / "wächter.py", tmp_path.parent / "guard.py"
    assert str(CodePlace(str(inside), 3)) == f"{Path('a b') / 'wächter.py'}:3"
    assert str(CodePlace(str(outside), 3)) == f"{outside}:3"


def test_going_back_is_noted_like_any_target() -> None:
    with noting_places() as places:
        fsm = build()
        back = fsm.states["Alarm"].add_transition("CALM", BACK)  # (back)
    assert places.of_transition(fsm.states["Alarm"], back) == at("back")
