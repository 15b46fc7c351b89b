"""Utility: the option of the highest score runs; hysteresis, ties, intervals, failing, errors."""

from collections.abc import Callable
from copy import deepcopy
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import pytest
from actors import Actor
from hypothesis import given
from hypothesis import strategies as st

from actions import Option, TimedWait, Utility
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.recording import restore, snapshot, why


class Scene:
    """A machine with one Utility over the options a, b and c, whose scores are set from outside."""

    def __init__(
        self,
        every: float = 0.0,
        hysteresis: float = 0.0,
        *,
        carry_time: bool = False,
        **does: dict[str, str],
    ) -> None:
        self.journal: list[str] = []
        self.actors = [Actor(n, self.journal, **does.get(n, {})) for n in "abc"]
        self.scores: dict[str, Any] = dict.fromkeys("abc", 0.0)
        self.ready: dict[str, bool] = dict.fromkeys("abc", True)
        options = [
            Option(actor, when=self._is_ready(actor.name), score=self._score_of(actor.name))
            for actor in self.actors
        ]
        self.utility = Utility(*options, every=every, hysteresis=hysteresis)
        self.fsm = machine(self.utility, carry_time=carry_time)

    def _is_ready(self, name: str) -> Callable[[], bool]:
        return lambda: self.ready[name]

    def _score_of(self, name: str) -> Callable[[], float]:
        return lambda: self.scores[name]

    def step(self, a: Any = 0.0, b: Any = 0.0, c: Any = 0.0, *, dt: float = 0.25) -> list[str]:
        """Set the scores, start or update the machine, and return what was noted."""
        self.scores.update(a=a, b=b, c=c)
        if self.fsm.is_running:
            self.fsm.update(dt)
        else:
            self.fsm.start()
        noted = [*self.journal]
        self.journal.clear()
        return noted


def machine(action: FsmAction, context: Any = None, *, carry_time: bool = False) -> Fsm[Any]:
    fsm = Fsm("M", context, carry_time=carry_time)
    work = fsm.add_state("Work")
    work.add_transition(FINISHED, fsm.add_state("Done"))
    work.add_transition(FAILED, fsm.add_state("Lost"))
    work.add_action(action)
    return fsm


def test_the_best_one_runs_and_of_equals_the_first() -> None:
    assert Scene().step(0.1, 0.3, 0.2) == ["enter b"]
    assert Scene().step(0.1, 0.3, 0.3) == ["enter b"]
    assert Scene().step(-2, -1, -3) == ["enter b"]


def test_a_better_one_takes_over_and_is_updated_from_the_next_update_on() -> None:
    scene = Scene()
    assert scene.step(0.5) == ["enter a"]
    assert scene.step(0.5, 0.4) == ["update a"]
    assert scene.step(0.5, 0.6) == ["exit a", "enter b"]
    assert scene.step(0.5, 0.6) == ["update b"]
    assert scene.utility.scores == (0.5, 0.6, 0.0)


def test_a_tie_goes_to_the_one_at_work() -> None:
    scene = Scene()
    scene.step(0.0, 0.5)
    assert scene.step(0.5, 0.5, 0.5) == ["update b"]


def test_another_has_to_be_better_by_more_than_the_hysteresis() -> None:
    scene = Scene(hysteresis=0.25)
    scene.step(0.5)
    assert scene.step(0.5, 0.75) == ["update a"]
    assert scene.step(0.5, 0.76) == ["exit a", "enter b"]
    assert scene.step(1.0, 0.76) == ["update b"]


def test_the_scores_are_asked_every_so_many_seconds() -> None:
    scene = Scene(every=0.5)
    scene.step(1.0)
    assert scene.step(0.0, 1.0) == ["update a"]
    assert scene.step(0.0, 1.0) == ["exit a", "enter b"]
    assert scene.step(1.0) == ["update b"]
    assert scene.step(1.0, dt=1.0) == ["exit b", "enter a"]
    assert scene.step(0.0, 1.0) == ["exit a", "enter b"]  # 1.75 s: the interval is kept


def test_it_is_due_when_the_scores_are_asked_next() -> None:
    utility = Utility(
        Option(TimedWait(0.75), score=0.5), Option(TimedWait(9.0), score=0.0), every=0.5
    )
    fsm = machine(utility)
    fsm.start()
    assert utility.next_due == 0.5
    fsm.update(0.25)
    assert utility.next_due == 0.25
    fsm.update(0.25)
    assert utility.next_due == 0.25  # of the wait
    assert Utility(Option(TimedWait(9.0), score=0.5)).next_due == 0.0


def test_a_condition_filters_and_stops_the_one_that_runs() -> None:
    scene = Scene()
    scene.ready["b"] = False
    assert scene.step(0.1, 0.9) == ["enter a"]
    assert scene.utility.scores == (0.1, None, 0.0)
    scene.ready["a"] = False
    assert scene.step(0.9, 0.9) == ["exit a", "enter c"]
    scene.ready["c"] = False
    assert scene.step() == ["exit c"]
    assert (scene.step(), scene.utility.position) == ([], -1)
    scene.ready["b"] = True
    assert scene.step() == ["enter b"]


def test_it_chooses_anew_when_one_finishes_and_may_choose_the_same() -> None:
    scene = Scene(a={"update": "finish"})
    scene.step(1.0)
    assert scene.step(1.0) == ["update a", "exit a", "enter a"]
    scene.fsm.stop()
    scene.journal.clear()
    scene = Scene(every=9.0, a={"update": "finish"})
    scene.step(1.0)
    assert scene.step(1.0, 1.0) == ["update a", "exit a", "enter a"]  # no longer at work: the first
    assert scene.step(1.0, 2.0) == ["update a", "exit a", "enter b"]
    assert scene.fsm.current_state.name == "Work"


def test_one_that_finishes_on_enter_is_followed_in_the_next_update() -> None:
    scene = Scene(a={"enter": "finish"})
    assert scene.step(1.0) == ["enter a"]
    assert scene.step(1.0) == ["exit a", "enter a"]
    assert scene.step(0.0, 1.0) == ["exit a", "enter b"]


def test_the_best_of_the_others_is_taken_at_once_when_one_fails() -> None:
    scene = Scene(a={"update": "fail"}, b={"enter": "fail"})
    scene.step(0.9)
    assert scene.step(0.9, 0.8, 0.7) == ["update a", "exit a", "enter b", "exit b", "enter c"]
    assert scene.step(0.9, 0.8, 0.7) == ["update c"]
    assert scene.utility.scores == (None, None, 0.7)


def test_one_that_has_failed_is_asked_again_once_its_condition_has_said_no() -> None:
    scene = Scene(a={"update": "fail"})
    scene.step(1.0)
    assert scene.step(1.0) == ["update a", "exit a", "enter b"]
    scene.ready["a"] = False
    assert scene.step(1.0) == ["update b"]
    scene.ready["a"] = True
    assert scene.step(1.0) == ["exit b", "enter a"]


def test_one_that_has_failed_is_asked_again_once_another_has_finished() -> None:
    scene = Scene(a={"enter": "fail"}, b={"update": "finish"})
    assert scene.step(1.0) == ["enter a", "exit a", "enter b"]
    assert scene.step(1.0) == ["update b", "exit b", "enter a", "exit a", "enter b"]


def test_it_fails_when_all_have_failed_with_the_reason_of_the_last() -> None:
    scene = Scene(**{name: {"enter": "fail"} for name in "abc"})
    assert scene.step(0.1, 0.3, 0.2) == [
        "enter b", "exit b", "enter c", "exit c", "enter a", "exit a",
    ]  # fmt: skip
    assert (scene.fsm.current_state.name, scene.fsm.event_data) == ("Lost", "no a")


def test_disabled_ones_take_no_part() -> None:
    scene = Scene()
    scene.actors[1].enabled = False
    assert scene.step(0.1, 0.9) == ["enter a"]
    for actor in scene.actors:
        actor.enabled = False
    scene.fsm.start("Work")
    assert (scene.journal, scene.fsm.current_state.name) == (["exit a"], "Done")


def test_rounds_follow_each_other_within_a_step_if_time_is_carried_over() -> None:
    journal: list[str] = []

    class Work(FsmAction):
        def __init__(self, name: str, seconds: float) -> None:
            self.name, self.seconds = name, seconds

        def on_enter(self) -> None:
            journal.append(f"{self.name} at {self.fsm.time:g}")
            self.left = self.seconds

        @property
        def next_due(self) -> float:
            return self.left

        def on_update(self) -> None:
            self.left -= self.delta_time
            if self.left <= 0.0:
                self.finish(-self.left)

    def tired(state: Any) -> float:
        return float(len(journal) % 2)

    options = Option(Work("eat", 0.5), score=0.5), Option(Work("sleep", 1.0), score=tired)
    fsm = machine(Utility(*options, every=99.0), carry_time=True)
    fsm.start()
    fsm.update(3.25)
    assert journal == ["eat at 0", "sleep at 0.5", "eat at 1.5", "sleep at 2", "eat at 3"]
    assert fsm.time == 3.25


def test_scores_are_asked_at_their_moment_if_time_is_carried_over() -> None:
    asked: list[float] = []

    def score(state: Any) -> float:
        asked.append(state.fsm.time)
        return 1.0

    fsm = machine(Utility(Option(TimedWait(99.0), score=score), every=0.5), carry_time=True)
    fsm.start()
    fsm.update(1.25)
    fsm.update(0.5)
    assert asked == [0.0, 0.5, 1.0, 1.5]


WRONG_SCORES: dict[str, tuple[object, type[Exception], str]] = {
    "nan": (nan, ValueError, "nan"),
    "infinity": (inf, ValueError, "inf"),
    "None": (None, TypeError, "None"),
    "a text": ("high", TypeError, "'high'"),
    "a flag": (True, TypeError, "True"),
}


@pytest.mark.parametrize("what", WRONG_SCORES)
def test_a_score_that_is_no_number_is_told_by_the_name_of_its_option(what: str) -> None:
    score, kind, shown = WRONG_SCORES[what]
    options = Option(TimedWait(2.0), score=0.5), Option(TimedWait(1.0), score=lambda: score)
    fsm = machine(Utility(*options))
    with pytest.raises(kind) as raised:
        fsm.start()
    message = str(raised.value)
    assert message.startswith("Utility: the score of options[1], Option(action=TimedWait(")
    assert message.endswith(f", must be a finite number, got {shown}.")


@pytest.mark.slow  # imports numpy
def test_other_numbers_are_scores() -> None:
    numpy = pytest.importorskip("numpy")
    utility = Utility(
        Option(TimedWait(1.0), score=1), Option(TimedWait(1.0), score=lambda: numpy.float32(1.5))
    )
    machine(utility).start()
    assert (utility.position, utility.scores) == (1, (1.0, 1.5))


WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "nothing": (Utility, ValueError, "Utility must have at least one Option to choose from."),
    "no score": (
        lambda: Utility(Option(TimedWait(1.0))),
        ValueError,
        (
            "Utility: options[0], Option(action=TimedWait(duration=1.0)), must have a score: "
            "Option(action, score=...)."
        ),
    ),
    "a score that is none": (
        lambda: Option(TimedWait(1.0), score=nan),
        ValueError,
        "Option: score must be a finite number, a function that returns one, or None, got nan.",
    ),
    "a negative interval": (
        lambda: Utility(Option(TimedWait(1.0), score=1), every=-1.0),
        ValueError,
        "Utility: every must be a finite number >= 0 (seconds), got -1.0.",
    ),
    "a text for the hysteresis": (
        lambda: Utility(Option(TimedWait(1.0), score=1), hysteresis="0.1"),  # type: ignore[arg-type]
        TypeError,
        "Utility: hysteresis must be a finite number >= 0, got '0.1'.",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_mistakes_are_told_where_they_are_made(what: str) -> None:
    make, kind, message = WRONG[what]
    with pytest.raises(kind) as raised:
        make()
    assert str(raised.value) == message


@pytest.mark.parametrize("how", ["copy", "snapshot"])
def test_a_copy_and_a_restored_machine_go_on(how: str) -> None:
    def build() -> tuple[Fsm[Any], Utility[Any]]:
        context = SimpleNamespace(a=0.2, b=0.5)
        utility = Utility(
            Option(TimedWait(9.0), score=lambda state: state.context.a),
            Option(TimedWait(9.0), score=lambda state: state.context.b),
            every=1.0,
        )
        return machine(utility, context), utility

    fsm, utility = build()
    fsm.start()
    fsm.update(0.75)
    if how == "copy":
        twin = deepcopy(fsm)
        there: Any = twin.states["Work"].actions[0]
    else:
        twin, there = build()
        restore(twin, snapshot(fsm))
    assert (there.position, there.scores, there.elapsed) == (1, (0.2, 0.5), 0.75)
    twin.context.a = 1.0
    twin.update(0.25)
    assert (there.position, utility.position) == (0, 1)


def test_why_says_what_each_was_worth() -> None:
    scene = Scene(every=0.5, hysteresis=0.1)
    scene.ready["c"] = False
    scene.step(0.25)
    assert scene.step(0.25, 0.3, dt=0.5) == ["update a"]
    assert scene.utility.waits_for == (
        "1 of 3: Actor; 1 (Actor): 0.25; 2 (Actor): 0.3, not better by more than 0.1; "
        "3 (Actor): no, lambda: self.ready[name]; next look: 0.5 s to go"
    )
    assert scene.utility.waits_for in str(why(scene.fsm, FINISHED))


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3), min_size=1, max_size=20),
    hysteresis=st.floats(0.0, 0.5),
)
def test_none_that_does_not_run_is_better_by_more_than_the_hysteresis(
    rows: list[tuple[float, float, float]], hysteresis: float
) -> None:
    scene = Scene(hysteresis=hysteresis)
    before = -1
    for row in rows:
        scene.step(*row)
        at_work = scene.utility.position
        assert max(row) <= row[at_work] + hysteresis
        assert before in (at_work, -1) or max(row) > row[before] + hysteresis
        before = at_work
