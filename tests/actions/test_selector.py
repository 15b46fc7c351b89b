"""Selector: the first option that holds runs; interruptions, failing, suspension, errors."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
from actors import Actor
from hypothesis import given
from hypothesis import strategies as st

from actions import (
    DelegateAction,
    InRange,
    OnEvent,
    Option,
    Parallel,
    RunFsm,
    Selector,
    Sequence,
    TimedWait,
    When,
)
from fsmkit import BACK, FAILED, FINISHED, ActionOwnershipError, Fsm, FsmAction
from fsmkit.recording import restore, snapshot, why
from fsmkit.space import Transform
from fsmkit.testing import Probe


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops


def holds(name: str) -> Callable[[Any], bool]:
    return lambda state: name in state.context


class Scene:
    """A machine with one Selector over the options a, b, c; a and b hold if the context says so.

    Work -> Done on FINISHED, Lost on FAILED; PAUSE suspends it, RESUME goes back; GO leads away.
    """

    def __init__(self, *, suspend: bool = False, carry_time: bool = False, **does: Any) -> None:
        self.journal: list[str] = []
        self.world: set[str] = set()
        self.actors = [Actor(n, self.journal, **does.get(n, {})) for n in "abc"]
        a, b, c = self.actors
        options = Option(a, when=holds("a")), Option(b, when=holds("b")), Option(c)
        self.selector = Selector(*options, suspend=suspend)
        self.fsm = machine(self.selector, self.world, carry_time=carry_time)

    def step(self, world: str = "", *, event: str = "") -> list[str]:
        """Set what holds, update or send an event, and return what was noted."""
        self.world.clear()
        self.world.update(world)
        if event:
            self.fsm.send_event(event)
        else:
            self.fsm.update(0.25)
        noted = [*self.journal]
        self.journal.clear()
        return noted

    def start(self, world: str = "") -> list[str]:
        self.world.update(world)
        self.fsm.start()
        noted = [*self.journal]
        self.journal.clear()
        return noted


def machine(action: FsmAction, context: Any = None, *, carry_time: bool = False) -> Fsm[Any]:
    fsm = Fsm("M", context, on_unhandled="ignore", carry_time=carry_time)
    work, pause = fsm.add_state("Work"), fsm.add_state("Pause")
    work.add_transition(FINISHED, fsm.add_state("Done"))
    work.add_transition(FAILED, fsm.add_state("Lost"))
    work.add_transition("GO", fsm.add_state("Gone"))
    work.add_transition("PAUSE", pause, suspend=True)
    pause.add_transition("RESUME", BACK)
    work.add_action(action)
    return fsm


def test_the_first_that_holds_runs() -> None:
    assert Scene().start() == ["enter c"]
    assert Scene().start("b") == ["enter b"]
    assert Scene().start("ab") == ["enter a"]


def test_a_higher_one_interrupts_a_lower_one_and_is_updated_from_the_next_update_on() -> None:
    scene = Scene()
    scene.start()
    assert scene.step() == ["update c"]
    assert scene.step("b") == ["exit c", "enter b"]
    assert scene.step("b") == ["update b"]
    assert scene.step("ab") == ["exit b", "enter a"]
    assert scene.step("ab") == ["update a"]


def test_one_that_holds_no_more_gives_way_to_the_next_that_does() -> None:
    scene = Scene()
    scene.start("ab")
    assert scene.step("b") == ["exit a", "enter b"]
    assert scene.step() == ["exit b", "enter c"]


def test_an_interrupted_one_is_suspended_and_resumed_with_suspend() -> None:
    scene = Scene(suspend=True)
    scene.start()
    assert scene.step("b") == ["suspend c", "enter b"]
    assert scene.step("ab") == ["suspend b", "enter a"]
    assert scene.step("ab") == ["update a"]
    assert scene.step("b") == ["exit a", "resume b"]
    assert scene.step("b") == ["update b"]
    assert scene.step() == ["exit b", "resume c"]
    assert scene.step() == ["update c"]
    assert scene.step("a") == ["suspend c", "enter a"]


def test_every_one_that_was_entered_is_exited_once_in_list_order() -> None:
    scene = Scene(suspend=True)
    scene.start()
    scene.step("b")
    scene.step("ab")
    assert scene.step(event="GO") == ["exit a", "exit b", "exit c"]
    assert [scene.selector.nested.has(actor) for actor in scene.actors] == [False] * 3
    scene.fsm.start()
    assert scene.journal == ["enter c"]


def test_while_none_holds_nothing_runs() -> None:
    journal: list[str] = []
    world: set[str] = set()
    selector = Selector(
        Option(Actor("a", journal), when=holds("a")), Option(Actor("b", journal), when=holds("b"))
    )
    fsm = machine(selector, world)
    fsm.start()
    fsm.update(1.0)
    assert (journal, selector.position) == ([], -1)
    world.add("b")
    fsm.update(1.0)
    fsm.update(1.0)
    world.clear()
    fsm.update(1.0)
    fsm.update(1.0)
    assert journal == ["enter b", "update b", "exit b"]
    assert (selector.position, fsm.current_state.name) == (-1, "Work")


def test_it_finishes_with_the_option_that_runs_and_exits_all_at_once() -> None:
    scene = Scene(suspend=True, b={"update": "finish"})
    scene.start()
    scene.step("b")
    assert scene.step("b") == ["update b", "exit b", "exit c"]
    assert scene.fsm.current_state.name == "Done"


def test_an_option_that_finishes_on_enter_finishes_it_there_and_then() -> None:
    scene = Scene(a={"enter": "finish"}, c={"enter": "finish"})
    assert scene.start() == ["enter c", "exit c"]
    assert scene.fsm.current_state.name == "Done"
    scene = Scene(a={"enter": "finish"})
    scene.start()
    assert scene.step("a") == ["exit c", "enter a", "exit a"]
    assert scene.fsm.current_state.name == "Done"


def test_the_next_one_is_taken_at_once_when_one_fails() -> None:
    scene = Scene(a={"update": "fail"}, b={"enter": "fail"})
    scene.start("ab")
    assert scene.step("ab") == ["update a", "exit a", "enter b", "exit b", "enter c"]
    assert (scene.selector.position, scene.selector.failures) == (2, {0: "'no a'", 1: "'no b'"})
    assert scene.step("ab") == ["update c"]


def test_one_that_has_failed_is_tried_again_once_its_condition_has_said_no() -> None:
    scene = Scene(a={"update": "fail"})
    scene.start("a")
    assert scene.step("a") == ["update a", "exit a", "enter c"]
    assert scene.step("a") == ["update c"]
    assert scene.step() == ["update c"]
    assert scene.step("a") == ["exit c", "enter a"]


def test_it_fails_when_all_have_failed_with_the_reason_of_the_last() -> None:
    scene = Scene(c={"update": "fail"}, b={"enter": "fail"}, a={"enter": "fail"})
    assert scene.start("ab") == [
        "enter a", "exit a", "enter b", "exit b", "enter c",
    ]  # fmt: skip
    assert scene.step("ab") == ["update c", "exit c"]
    assert (scene.fsm.current_state.name, scene.fsm.event_data) == ("Lost", "no c")


def test_one_that_does_not_hold_has_not_failed() -> None:
    scene = Scene(c={"update": "fail"})
    scene.start()
    assert scene.step() == ["update c", "exit c"]
    assert (scene.selector.position, scene.fsm.current_state.name) == (-1, "Work")
    assert scene.step("b") == ["enter b"]


def test_one_that_fails_after_interrupting_gives_way_to_the_suspended_one() -> None:
    scene = Scene(suspend=True, a={"update": "fail"})
    scene.start()
    scene.step("a")
    assert scene.step("a") == ["update a", "exit a", "resume c"]


def test_one_that_fails_by_an_event_gives_way_there_and_then() -> None:
    scene = Scene()
    scene.start("a")
    assert scene.step("a", event="FAIL") == ["a hears FAIL", "exit a", "enter c"]


def test_only_the_one_that_runs_gets_events() -> None:
    scene = Scene(suspend=True)
    scene.start()
    scene.step("b")
    assert scene.step("b", event="HEY") == ["b hears HEY"]
    assert scene.step("", event="HEY") == ["b hears HEY"]
    scene.step("")
    assert scene.step("", event="HEY") == ["c hears HEY"]


def test_a_suspended_state_suspends_the_one_that_runs_alone_so_that_calls_come_in_pairs() -> None:
    scene = Scene(suspend=True)
    scene.start()
    scene.step("b")
    assert scene.step("b", event="PAUSE") == ["suspend b"]
    assert scene.step("") == []
    assert scene.step("b", event="RESUME") == ["resume b"]
    assert scene.step("") == ["exit b", "resume c"]
    scene.step("a")
    assert scene.step("a", event="PAUSE") == ["suspend a"]
    assert scene.step("a", event="GO") == []
    scene.fsm.stop()
    assert scene.journal == ["exit a", "exit c"]


def test_what_is_suspended_does_not_finish() -> None:
    scene = Scene(suspend=True)
    scene.start()
    scene.step("a")
    scene.actors[2].finish()
    assert not scene.actors[2].finished
    assert scene.step("a") == ["update a"]


def test_the_time_of_what_is_suspended_stands_still() -> None:
    world: set[str] = set()
    inner = Fsm("Inner")
    first, second = inner.add_state("First"), inner.add_state("Second")
    first.add_action(TimedWait(1.0))
    first.add_transition(FINISHED, second)
    walk = Parallel(TimedWait(3.0), RunFsm(inner))
    fsm = machine(
        Selector(Option(TimedWait(9.0), when=holds("a")), Option(walk), suspend=True), world
    )
    fsm.start()
    fsm.update(0.5)
    world.add("a")
    for _ in range(5):
        fsm.update(1.0)
    assert (walk.actions[0].elapsed, inner.current_state.name, inner.time) == (0.5, "First", 0.5)
    assert inner.send_event("ANY") is False
    world.clear()
    fsm.update(1.0)
    fsm.update(0.5)
    assert (walk.actions[0].elapsed, inner.current_state.name) == (1.0, "Second")


@pytest.mark.parametrize("callback", ["exit", "suspend"])
def test_an_error_while_leaving_comes_after_the_other_was_entered(callback: str) -> None:
    scene = Scene(suspend=callback == "suspend", c={callback: fail})
    scene.start()
    with pytest.raises(Oops) as raised:
        scene.step("b")
    assert scene.journal == [f"{callback} c", "enter b"]
    assert raised.value.__notes__[0] == f"Selector.children[2] (Actor), on_{callback}"
    scene.journal.clear()
    assert scene.step("b") == ["update b"]


def test_an_error_on_enter_leaves_none_and_the_next_update_looks_again() -> None:
    broken = [True]

    def breaks(_actor: Actor) -> None:
        if broken[0]:
            raise Oops

    scene = Scene(b={"enter": breaks})
    scene.start()
    with pytest.raises(Oops):
        scene.step("b")
    assert (scene.journal, scene.selector.position) == (["exit c", "enter b"], -1)
    scene.journal.clear()
    broken.clear()
    broken.append(False)
    assert scene.step("b") == ["enter b"]
    assert scene.step(event="GO") == ["exit b"]


def test_an_error_of_a_condition_changes_nothing() -> None:
    world = SimpleNamespace(works=True)
    journal: list[str] = []

    def looks(state: Any) -> bool:
        if not state.context.works:
            raise Oops
        return False

    fsm = machine(
        Selector(Option(Actor("a", journal), when=looks), Option(Actor("b", journal))), world
    )
    fsm.start()
    world.works = False
    with pytest.raises(Oops) as raised:
        fsm.update(1.0)
    assert raised.value.__notes__ == ["Fsm 'M', state 'Work', actions[0] (Selector), on_update"]
    world.works = True
    fsm.update(1.0)
    assert journal == ["enter b", "update b"]


def test_an_error_on_enter_of_the_state_exits_what_was_entered() -> None:
    scene = Scene(a={"enter": "fail", "exit": fail})
    with pytest.raises(Oops):
        scene.start("a")
    assert scene.journal == ["enter a", "exit a", "enter c", "exit c"]


def test_a_condition_that_decides_a_change_is_the_last_thing_that_happens() -> None:
    journal: list[str] = []

    def leaves(state: Any) -> bool:
        return bool(state.context) and state.send_event("GO")

    world: list[int] = []
    fsm = machine(
        Selector(Option(Actor("a", journal), when=leaves), Option(Actor("b", journal))), world
    )
    fsm.start()
    world.append(1)
    fsm.update(1.0)
    assert (journal, fsm.current_state.name) == (["enter b", "exit b"], "Gone")


def test_one_that_decides_a_change_on_enter_is_the_last_thing_that_happens() -> None:
    scene = Scene(b={"enter": lambda actor: actor.fsm.send_event("GO")})
    scene.start()
    assert scene.step("b") == ["exit c", "enter b", "exit b"]
    assert scene.fsm.current_state.name == "Gone"


def test_disabled_ones_take_no_part() -> None:
    scene = Scene()
    scene.actors[0].enabled = False
    assert scene.start("ab") == ["enter b"]
    for actor in scene.actors:
        actor.enabled = False
    scene.fsm.start("Work")
    assert (scene.journal, scene.fsm.current_state.name) == (["exit b"], "Done")


def test_time_is_carried_over_a_failure() -> None:
    class FailsAfter(FsmAction):
        next_due = 0.5

        def on_enter(self) -> None:
            self.left = 0.5

        def on_update(self) -> None:
            self.left -= self.delta_time
            if self.left <= 0.0:
                self.fail("late", -self.left)

    wait = TimedWait(9.0)
    fsm = machine(Selector(Option(FailsAfter()), Option(wait)), carry_time=True)
    fsm.start()
    fsm.update(2.0)
    assert wait.elapsed == 1.5


def test_an_interruption_hands_on_no_time() -> None:
    scene = Scene(carry_time=True)
    scene.start()
    assert scene.step("b") == ["exit c", "enter b"]


def test_it_fits_into_other_compositions() -> None:
    journal: list[str] = []
    a, b = Actor("a", journal, update="fail"), Actor("b", journal, enter="finish")
    after = DelegateAction(lambda: journal.append("after"))
    fsm = machine(Sequence(Selector(Option(a), Option(b)), after))
    fsm.start()
    fsm.update(1.0)
    assert journal == ["enter a", "update a", "exit a", "enter b", "exit b", "after"]
    inner = Selector(Option(Actor("a", journal, enter="fail")))
    fsm = machine(Selector(Option(inner), Option(Actor("b", journal))))
    journal.clear()
    fsm.start()
    assert journal == ["enter a", "exit a", "enter b"]


@pytest.mark.parametrize("how", ["copy", "snapshot"])
def test_a_copy_and_a_restored_machine_go_on_with_what_is_suspended(how: str) -> None:
    scene = Scene(suspend=True, a={"update": "fail"})
    scene.start("a")
    scene.step("a")
    scene.step("ba")
    assert (scene.selector.position, scene.selector.failures) == (1, {0: "'no a'"})
    if how == "copy":
        twin = Scene()
        twin.fsm = deepcopy(scene.fsm)
        twin.selector = twin.fsm.states["Work"].actions[0]
        twin.actors = [option.action for option in twin.selector.options]
        twin.world, twin.journal = twin.fsm.context, twin.actors[0].journal
    else:
        twin = Scene(suspend=True)
        saved = snapshot(scene.fsm)
        assert saved["machines"][0]["actions"]["Work"]["0/2"]["suspended"] is True
        restore(twin.fsm, saved)
    assert twin.selector.failures == {0: "'no a'"}
    assert twin.step("ab") == ["update b"]
    assert twin.step("a") == ["exit b", "resume c"]
    assert twin.step("b") == ["suspend c", "enter b"]
    assert twin.step(event="GO") == ["exit b", "exit c"]


def test_a_machine_in_a_suspended_option_is_suspended_in_a_restored_one() -> None:
    def build() -> tuple[Fsm[Any], Fsm[Any]]:
        inner = Fsm("Inner", on_unhandled="ignore")
        first, second = inner.add_state("First"), inner.add_state("Second")
        first.add_transition("ON", second)
        options = Option(TimedWait(9.0), when=holds("a")), Option(RunFsm(inner))
        return machine(Selector(*options, suspend=True), set()), inner

    fsm, inner = build()
    fsm.start()
    fsm.context.add("a")
    fsm.update(1.0)
    twin, inside = build()
    restore(twin, snapshot(fsm))
    assert (inner.send_event("ON"), inside.send_event("ON")) == (False, False)
    twin.update(1.0)
    assert inside.send_event("ON") is True


def test_why_says_what_was_looked_at() -> None:
    scene = Scene(suspend=True, b={"update": "fail"})
    scene.start("b")
    scene.step("b")
    scene.step("b")
    assert scene.selector.waits_for == (
        "3 of 3: Actor; 1 (Actor): no, lambda state: name in state.context; 2 (Actor): failed: "
        "'no b'"
    )
    scene.step("a")
    assert scene.selector.waits_for == (
        "1 of 3: Actor; 1 (Actor): yes, lambda state: name in state.context; "
        "2 (Actor): failed: 'no b'; 3 (Actor): suspended"
    )
    assert scene.selector.waits_for in str(why(scene.fsm, FINISHED))


def test_why_says_that_a_suspended_option_gets_no_events() -> None:
    guard = Selector(
        Option(TimedWait(9.0), when=holds("a")),
        Option(Parallel(OnEvent("HIT", print), TimedWait(9.0))),
        suspend=True,
    )
    fsm = machine(guard, set())
    fsm.start()
    fsm.context.add("a")
    fsm.update(1.0)
    told = "Work.actions[0].children[1].children[0] (OnEvent) takes it, but is suspended."
    assert told in str(why(fsm, "HIT"))


def test_what_a_condition_in_an_option_remembers_is_saved() -> None:
    def build() -> Fsm[Any]:
        context = SimpleNamespace(hero=Transform((2.0, 0.0)))
        near = InRange((0.0, 0.0), lambda state: state.context.hero, 3.0, until=6.0)
        options = (
            Option(TimedWait(9.0), when=lambda state: not near(state)),
            Option(TimedWait(9.0), when=near),
        )
        return machine(Selector(*options), context)

    fsm, twin = build(), build()
    fsm.start()
    restore(twin, snapshot(fsm))
    for each in (fsm, twin):
        each.context.hero.position = (5.0, 0.0)
        each.update(1.0)
    positions = [each.states["Work"].actions[0].position for each in (fsm, twin)]
    assert positions == [1, 1]


WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "nothing": (Selector, ValueError, "Selector must have at least one Option to choose from."),
    "an action": (
        lambda: Selector(TimedWait(1.0)),  # type: ignore[arg-type]
        TypeError,
        (
            "Selector: each option must be an Option, got TimedWait(duration=1.0). "
            "Write Option(TimedWait(...))."
        ),
    ),
    "a score": (
        lambda: Selector(Option(TimedWait(1.0)), Option(TimedWait(2.0), score=1)),
        ValueError,
        (
            "Selector: options[1], Option(action=TimedWait(duration=2.0), score=1), must have no "
            "score: a Selector takes the first that holds. Use a Utility for scores."
        ),
    ),
    "no action": (
        lambda: Option("Flee"),  # type: ignore[arg-type]
        TypeError,
        "Option: action must be an FsmAction, got 'Flee'.",
    ),
    "a condition that takes too much": (
        lambda: Option(TimedWait(1.0), when=lambda a, b: a == b),  # type: ignore[arg-type, misc]
        TypeError,
        (
            "Option: when must take nothing or the state, but lambda a, b: a == b requires 'a' and "
            "'b'. Give the others defaults, or bind them with functools.partial."
        ),
    ),
    "an answer for a condition": (
        lambda: Option(TimedWait(1.0), when=True),  # type: ignore[arg-type]
        TypeError,
        "Option: when must be a function, got True.",
    ),
    "a text for suspend": (
        lambda: Selector(Option(TimedWait(1.0)), suspend="yes"),  # type: ignore[arg-type]
        TypeError,
        "Selector: suspend must be True or False, got 'yes'.",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_mistakes_are_told_where_they_are_made(what: str) -> None:
    make, kind, message = WRONG[what]
    with pytest.raises(kind) as raised:
        make()
    assert str(raised.value) == message


def test_an_action_belongs_to_one_option() -> None:
    wait = TimedWait(1.0)
    fsm = Fsm("M")
    with pytest.raises(ActionOwnershipError):
        fsm.add_state("Work").add_action(Selector(Option(wait), Option(wait)))


def test_conditions_take_the_state_or_nothing() -> None:
    selector = Selector(
        Option(TimedWait(1.0), when=lambda: False), Option(When(bool, TimedWait(1.0)))
    )
    fsm = machine(selector)
    fsm.start()
    assert selector.position == 1


@pytest.mark.slow
@given(worlds=st.lists(st.sets(st.sampled_from("ab")), max_size=20), suspend=st.booleans())
def test_the_option_that_runs_is_always_the_first_that_holds(
    worlds: Iterable[set[str]], suspend: bool
) -> None:
    scene = Scene(suspend=suspend)
    scene.start()
    noted = ["enter c"]
    for world in worlds:
        noted += scene.step("".join(world))
        assert scene.selector.position == (0 if "a" in world else 1 if "b" in world else 2)
    noted += scene.step(event="GO")
    for name in "abc":
        mine = [each.split()[0] for each in noted if each.endswith(name)]
        assert mine.count("enter") == mine.count("exit")
        assert mine.count("suspend") >= mine.count("resume")
