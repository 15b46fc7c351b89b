"""Values that actions remember, through JSON and back."""

import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from random import Random, SystemRandom
from typing import Any, NamedTuple

import numpy as np
import pytest
from attrs import define, field
from every import every
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions import DelegateAction
from fsmkit import Fsm, FsmAction
from fsmkit.recording import SnapshotError, SnapshotMismatchError, restore, snapshot
from fsmkit.timing import CountdownTimer

pygame = pytest.importorskip("pygame")
panda3d = pytest.importorskip("panda3d.core")
LPoint3d, LQuaternionf = panda3d.LPoint3d, panda3d.LQuaternionf


class Mode(Enum):
    FAST = "fast"
    SLOW = "slow"


class Point(NamedTuple):
    x: float
    y: float


@define(eq=False)
class Keep(FsmAction):
    """Remembers anything."""

    given: Any = None
    mode: Mode = Mode.SLOW
    kept: Any = field(default=None, init=False)


def keeping(value: Any = None, **parameters: Any) -> tuple[Fsm, Keep]:
    """A machine with an action that remembers `value`."""
    fsm = Fsm("M", context={"gold": 3})
    action = fsm.add_state("A").add_action(Keep(**parameters))
    action.kept = value
    return fsm, action


def restored(value: Any, **hooks: Callable[[Any], Any]) -> Any:
    """Return the value that a restored action remembers in place of `value`."""
    (fsm, _), (other, action) = keeping(value), keeping()
    encode, decode = hooks.get("encode"), hooks.get("decode")
    text = json.dumps(snapshot(fsm, encode=encode), allow_nan=False)
    restore(other, json.loads(text), decode=decode)
    return action.kept


plain = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
    | st.sampled_from(Mode)
)  # fmt: skip
hashable = st.recursive(
    plain, lambda some: st.tuples(some, some) | st.frozensets(some, max_size=3), max_leaves=4
)
anything = st.recursive(
    hashable,
    lambda some: (
        st.lists(some, max_size=3)
        | st.sets(hashable, max_size=3)
        | st.dictionaries(hashable, some, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$a", "$tuple", "$own"]), some)
    ),
)


def exactly(value: Any) -> str:
    """Return the identity of a value, to the last bit, without the order of sets."""
    name = type(value).__name__
    if isinstance(value, (set, frozenset)):
        return f"{name}{sorted(map(exactly, value))}"
    if isinstance(value, (list, tuple)):
        return f"{name}{[*map(exactly, value)]}"
    if isinstance(value, dict):
        return f"{name}{[exactly(item) for item in value.items()]}"
    return f"{name} {value!r}"


@pytest.mark.slow
@given(anything)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert exactly(restored(value)) == exactly(value)


@every(
    "value",
    [
        glm.vec3(0.1, -0.0, math.inf),
        glm.dvec2(0.1, 1e300),
        glm.ivec4(1, 2, 3, 4),
        glm.quat(1, 2, 3, 4),
        glm.dquat(0.1, 0.2, 0.3, 0.4),
        pygame.Vector2(0.1, 2),
        pygame.Vector3(0.1, 2, 3),
        pygame.Color(1, 2, 3, 4),
        LPoint3d(0.1, 2, 3),
        LQuaternionf(1, 2, 3, 4),
        np.float64(0.1),
        np.float32(math.nan),
        np.int8(-3),
        np.bool_(True),
    ],
)
def test_vectors_come_back_as_they_were(value: Any) -> None:
    assert exactly(restored(value)) == exactly(value)


@every("kind", [bool, np.uint8, np.int64, np.uint64, np.float16, float])
@every("shape", [(), (3,), (2, 0), (2, 3)])
def test_arrays_come_back_as_they_were(kind: type, shape: tuple[int, ...]) -> None:
    array = np.full(shape, 2, dtype=kind)
    back = restored(array)
    assert (type(back), back.dtype, back.shape) == (np.ndarray, array.dtype, shape)
    assert np.array_equal(back, array)


def test_an_array_of_any_objects_is_refused() -> None:
    with pytest.raises(SnapshotError, match="kept: array"):
        restored(np.array([object()]))


@pytest.mark.slow
def test_libraries_that_the_program_does_not_use_are_not_imported() -> None:
    code = "import sys, fsmkit.recording; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pyglm", "pygame", "panda3d"} & set(done.stdout.split())


def test_a_vector_of_a_library_that_is_not_in_use_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (fsm, _), (other, _) = keeping(glm.vec2(1, 2)), keeping()
    data = snapshot(fsm)
    monkeypatch.delitem(sys.modules, "pyglm.glm")
    with pytest.raises(
        SnapshotError, match=r"kept: .*pyglm\.glm is not imported: import it before"
    ):
        restore(other, data)


SETS = """
import json
from enum import Enum
from fsmkit import Fsm
from fsmkit.recording import snapshot
class Metal(Enum):
    IRON = 1
    GOLD = 2
fsm = Fsm("M")
fsm.add_state("A")
mixed = {"x", "yy", 3, 10, -1, 0.5, None, ("a", 1), b"b", frozenset({"q", "r", 2}), *Metal}
fsm.post_event("X", [mixed, frozenset(mixed), {"k": {float(n) for n in range(20)}}])
print(json.dumps(snapshot(fsm, encode=lambda each: each.name)))
"""


@pytest.mark.slow
def test_two_saves_of_the_same_moment_are_the_same_text_whatever_the_hashes() -> None:
    texts = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SETS], capture_output=True, env=environment, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1


def test_the_items_of_a_set_are_saved_in_order() -> None:
    fsm, _ = keeping({10, 9, "b", "a", -1, 0.5, None, (2,), frozenset({2, 1})})
    (kept,) = snapshot(fsm)["machines"][0]["actions"]["A"]["0"]["remembers"].values()
    assert kept["$set"] == [
        -1, 0.5, 9, 10, "a", "b", None, {"$frozenset": [1, 2]}, {"$tuple": [2]},
    ]  # fmt: skip


# References


def test_what_the_game_rebuilds_is_found_there_again() -> None:
    thing, other_thing = object(), object()
    fsm, action = keeping(given=[1, thing])
    action.kept = (fsm, fsm.states["A"], action, fsm.context, action.given, thing)
    other, found = keeping(given=[1, other_thing])
    restore(other, snapshot(fsm))
    expected = (other, other.states["A"], found, other.context, found.given, other_thing)
    assert len(found.kept) == 6
    assert all(a is b for a, b in zip(found.kept, expected, strict=True))


def test_a_number_is_not_a_reference_even_if_it_is_a_parameter() -> None:
    (fsm, action), (other, found) = keeping(given=5000), keeping(given=1)
    action.kept = action.given
    restore(other, snapshot(fsm))
    assert found.kept == 5000


def test_a_member_of_an_enum_is_not_a_reference_even_if_it_is_a_parameter() -> None:
    (fsm, action), (other, found) = keeping(mode=Mode.FAST), keeping(mode=Mode.SLOW)
    action.kept = action.mode
    restore(other, snapshot(fsm))
    assert found.kept is Mode.FAST


def test_a_parameter_that_is_gone_is_a_mismatch() -> None:
    thing = object()
    fsm, action = keeping(given=[1, thing])
    action.kept = thing
    other, _ = keeping(given=[1])
    with pytest.raises(SnapshotMismatchError) as caught:
        restore(other, snapshot(fsm))
    assert caught.value.differences == (
        "Fsm 'M', state 'A', actions[0] (Keep), kept: the action has no given[1]",
    )


def test_a_state_of_a_machine_that_is_not_saved_too_is_refused() -> None:
    with pytest.raises(SnapshotError, match="<Fsm 'N': not running> cannot be saved"):
        snapshot(keeping(Fsm("N"))[0])
    with pytest.raises(SnapshotError, match="<FsmState 'B' of Fsm 'N'> cannot be saved"):
        snapshot(keeping(Fsm("N").add_state("B"))[0])


@pytest.mark.parametrize("kind", [DelegateAction, DelegateAction[object]])
def test_the_type_by_which_an_action_was_made_is_not_part_of_its_memory(kind: Any) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(kind(on_enter=lambda _: None))
    assert "actions" not in snapshot(fsm)["machines"][0]


# Dice


def test_a_generator_that_is_remembered_continues_as_it_was() -> None:
    rng = Random(1)
    rng.gauss()
    back = restored([rng, rng])
    assert back[0] is back[1]
    assert [back[0].random(), back[0].gauss()] == [rng.random(), rng.gauss()]


def test_a_generator_that_is_also_a_parameter_is_that_parameter() -> None:
    (fsm, action), (other, found) = keeping(given=Random(1)), keeping(given=Random(2))
    action.kept = [action.given]
    restore(other, snapshot(fsm))
    assert found.kept[0] is found.given
    assert found.given.random() == Random(1).random()


def test_dice_of_the_operating_system_have_no_state() -> None:
    (fsm, _), (other, _) = (keeping(given=SystemRandom()) for _ in range(2))
    assert snapshot(fsm)["randoms"] == []
    restore(other, snapshot(fsm))


def test_dice_of_another_kind_are_a_mismatch() -> None:
    fsm = keeping(given=Random(1))[0]
    for given_now in (SystemRandom(), 6):
        with pytest.raises(
            SnapshotMismatchError, match="its given is no longer a random generator"
        ):
            restore(keeping(given=given_now)[0], snapshot(fsm))


def test_dice_of_an_unknown_kind_are_refused() -> None:
    class Loaded(Random):
        def getstate(self) -> tuple[Any, ...]:
            return ("six",)

    with pytest.raises(SnapshotError, match=r"actions\[0\] \(Keep\), given: the state of"):
        snapshot(keeping(given=Loaded())[0])


@pytest.mark.parametrize(
    ("given", "name"), [(random, "random"), (np.random.default_rng(), "Generator")]
)
def test_dice_other_than_random_are_refused(given: Any, name: str) -> None:
    with pytest.raises(SnapshotError) as raised:
        snapshot(keeping(given=given)[0])
    assert str(raised.value) == (
        f"Fsm 'M', state 'A', actions[0] (Keep), given: the state of {name!r} cannot be saved. "
        "Give it a random.Random: given=Random(...)."
    )


@pytest.mark.parametrize("shared", [True, False])
def test_dice_that_are_shared_otherwise_are_a_mismatch(shared: bool) -> None:
    def build(shared: bool) -> Fsm:
        rng = Random(1)
        fsm, _ = keeping(given=rng)
        fsm.add_state("B").add_action(Keep(rng if shared else Random(1)))
        return fsm

    with pytest.raises(
        SnapshotMismatchError, match="its given is .* not shared with the same actions"
    ):
        restore(build(not shared), snapshot(build(shared)))


# Values of the game's own


def encode(value: Any) -> Any:
    if isinstance(value, Point):
        return tuple(value)
    if isinstance(value, Enum):
        return value.value
    raise TypeError


def test_values_of_the_games_own_go_through_its_functions() -> None:
    value = [Point(1.0, 2.0), {"at": Point(3.0, 4.0)}]
    assert exactly(restored(value, encode=encode, decode=lambda values: Point(*values))) == exactly(
        value
    )


def test_without_decode_it_is_what_encode_made_of_it() -> None:
    assert restored(Point(1.0, 2.0), encode=encode) == (1.0, 2.0)


def test_what_encode_does_not_know_is_refused() -> None:
    with pytest.raises(SnapshotError, match="kept: <object"):
        restored(object(), encode=encode)
    with pytest.raises(SnapshotError, match="kept: <object"):
        restored(object(), encode=lambda value: value)


def test_an_error_in_encode_says_where() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        restored(object(), encode=lambda _: 1 / 0)
    assert caught.value.__notes__ == ["while saving Fsm 'M', state 'A', actions[0] (Keep), kept"]


def test_an_error_in_decode_says_where_and_changes_nothing() -> None:
    (fsm, action), (other, found) = keeping(), keeping()
    action.kept = [1, object()]
    fsm.start()
    data = snapshot(fsm, encode=str)
    with pytest.raises(SnapshotError, match=r"kept: .*cannot be read \(ZeroDivisionError"):
        restore(other, data, decode=lambda _: 1 / 0)
    assert (other.current_state, found.kept) == (None, None)


def test_an_enum_that_the_action_has_nothing_to_do_with_is_refused() -> None:
    class Other(Enum):
        X = 1

    with pytest.raises(
        SnapshotError,
        match=r"kept: <Other\.X: 1> cannot be saved\. Give encode=lambda each: each\.name, and "
        r"restore\(\) decode=lambda name: Other\[name\]; or make Other the default of a field",
    ):
        restored(Other.X)
    assert restored(Other.X, encode=lambda each: each.name, decode=lambda name: Other[name]) is (
        Other.X
    )


def test_a_list_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(SnapshotError, match="kept: the value contains itself"):
        restored(value)


def test_a_timer_continues_where_it_was() -> None:
    timer = CountdownTimer(2.0)
    timer.update(0.5)
    again = restored([timer])[0]
    assert (again.duration, again.elapsed, again.remaining) == (2.0, 0.5, 1.5)
