"""The machine against an independent model of the rules, on machines that hypothesis makes up."""

import random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from model import ActionSpec, Model, Op, Spec, Way, build

from fsmkit import ERROR, FAILED, FINISHED, Fsm, TransitionLoopError, TransitionOnExitError
from fsmkit.testing import Recorder

NAMES = ("A", "B", "C")
EVENTS = ("X", "Y", "Z")
KNOWN = (*EVENTS, FINISHED, FAILED, ERROR)

names = st.sampled_from(NAMES)
events = st.sampled_from(EVENTS)
known = st.sampled_from(KNOWN)
endings: st.SearchStrategy[Op] = st.one_of(
    st.tuples(st.just("start"), names),
    st.tuples(st.just("stop")),
    st.tuples(st.just("finish"), st.integers(0, 2)),
    st.tuples(st.just("fail"), st.integers(0, 2)),
    st.tuples(st.just("post"), events),
    st.tuples(st.just("raise")),
)
operations: st.SearchStrategy[Op] = st.one_of(
    st.tuples(st.just("send"), events),
    st.tuples(st.just("send"), events, st.booleans()),
    endings,
)
scripts = st.lists(operations, max_size=3) | st.just([])
actions = st.builds(
    ActionSpec,
    enter=scripts,
    update=scripts,
    exit=scripts,
    takes=st.frozensets(events | st.just(FAILED), max_size=1) | st.just(frozenset()),
    enabled=st.sampled_from((True, True, True, False)),
    finish_event=st.none() | events,
    suspend=scripts,
    resume=scripts,
    background=st.sampled_from((False, False, True)),
    hear=st.lists(endings, max_size=2),
)
effects = st.none() | st.lists(
    st.one_of(
        st.tuples(st.just("send"), events), st.tuples(st.just("stop")), st.tuples(st.just("raise"))
    ),
    max_size=1,
)
guards = st.sampled_from(("yes", "no", "data", "data", "raise"))


def ways(names: st.SearchStrategy[str]) -> st.SearchStrategy[list[Way]]:
    """The transitions of one event: guarded ones, then mostly one that is always taken."""
    plain = st.builds(Way, names)
    more = st.builds(Way, names, effect=effects, suspend=st.booleans())
    back = st.just(Way("BACK"))
    guarded = st.builds(Way, names, guards, effects, st.booleans())
    guarded_back = st.builds(Way, st.just("BACK"), guards, effects)
    last = st.lists(plain | plain | more | back, min_size=1, max_size=1)
    first = st.lists(guarded | guarded_back, max_size=2)
    return last | st.tuples(first, last | st.just([])).map(lambda two: [*two[0], *two[1]])


def tables(state: str | None, size: int) -> st.SearchStrategy[dict[str, list[Way]]]:
    """The transitions of `state`; of any state for None. No state suspends itself."""

    def honest(table: dict[str, list[Way]]) -> dict[str, list[Way]]:
        for event in list(table):
            for way in table[event]:
                way.suspend = way.suspend and way.target != state
            if not table[event]:
                del table[event]
        return table

    return st.dictionaries(known, ways(names), max_size=size).map(honest)


specs = st.builds(
    Spec,
    states=st.fixed_dictionaries(
        {name: st.tuples(tables(name, 4), st.lists(actions, max_size=3)) for name in NAMES}
    ),
    global_transitions=tables(None, 2),
    groups=st.lists(
        st.tuples(st.lists(names, max_size=3, unique=True), tables(None, 2)), max_size=2
    ),
)


class AgainstTheModel(RuleBasedStateMachine):
    """Both take the same calls; after each, journals, errors, results and states agree."""

    @initialize(spec=specs, observed=st.booleans())
    def build(self, spec: Spec, observed: bool) -> None:
        self.journal: list[str] = []
        self.fsm: Fsm = build(spec, self.journal)
        self.model = Model(spec)
        if observed:
            Recorder(self.fsm)  # only observes, so nothing may change

    @rule(state=names)
    def start(self, state: str) -> None:
        self.compare(self.model.start(state), self.fsm.start, state)

    @rule()
    def stop(self) -> None:
        self.compare(self.model.stop(), self.fsm.stop)

    @rule(event=events, data=st.booleans())
    def send(self, event: str, data: bool = False) -> None:
        answers: list[bool] = []
        expected = self.model.send(event, data)
        self.compare(expected, lambda: answers.append(self.fsm.send_event(event, data)))
        if not expected:
            assert answers == [self.model.answer]

    @rule(event=events)
    def post(self, event: str) -> None:
        self.compare(self.model.post(event), self.fsm.post_event, event)

    @rule()
    def update(self) -> None:
        self.compare(self.model.update(), self.fsm.update, 0.1)

    @rule(index=st.integers(0, 2), fails=st.booleans())
    def end(self, index: int, fails: bool) -> None:
        """Finish an action of the current state from outside, or have it fail."""
        state = self.fsm.current_state
        if state is not None and state.actions:
            index %= len(state.actions)
            action = state.actions[index]
            expected = self.model.end(index, fails=fails)
            self.compare(expected, *((action.fail, index) if fails else (action.finish,)))

    @rule(number=st.integers(0, 1), state=names)
    def regroup(self, number: int, state: str) -> None:
        """Add a state to a group, or remove it."""
        if number < len(self.model.spec.groups):
            group, (members, _) = self.fsm.groups[f"G{number}"], self.model.spec.groups[number]
            is_member = state in members
            (members.remove if is_member else members.append)(state)
            (group.remove if is_member else group.add)(state)

    @rule(place=st.integers(0, 5), event=known, to=names)
    def rewire(self, place: int, event: str, to: str) -> None:
        """Remove the transitions for an event from a state, a group or all, or add one."""
        fsm, spec = self.fsm, self.model.spec
        owners = [*fsm.states.values(), *fsm.groups.values()]
        edits = [(each.add_transition, each.remove_transition) for each in owners]
        edits.append((fsm.add_global_transition, fsm.remove_global_transition))
        tables = [each[0] for each in spec.states.values()] + [each[1] for each in spec.groups]
        tables.append(spec.global_transitions)
        place %= len(edits)
        (add, remove), table = edits[place], tables[place]
        if table.pop(event, None):
            remove(event)
        else:
            table[event] = [Way(to)]
            add(event, to)

    def compare(self, expected: list[str], call: Any, *arguments: Any) -> None:
        assert errors_of(call, *arguments) == expected
        assert self.journal == self.model.journal
        state = self.fsm.current_state
        assert (state.name if state else None) == self.model.current
        assert self.fsm.last_event == self.model.last_event
        actions = () if state is None else state.actions
        failed = {index for index, action in enumerate(actions) if action.failed}
        assert failed == self.model.failed
        suspended = [waiting.state for waiting in self.model.suspended]
        assert [waiting.name for waiting in self.fsm.suspended] == suspended
        assert not self.fsm.is_changing
        self.journal.clear()
        self.model.journal.clear()


def errors_of(call: Any, *arguments: Any) -> list[str]:
    """The names of the errors that a call raises, sorted; none if it returns."""
    names = {TransitionLoopError: "Loop", TransitionOnExitError: "OnExit"}
    try:
        call(*arguments)
    except Exception as error:
        return sorted(names.get(type(each), type(each).__name__) for each in leaves_of(error))
    return []


def leaves_of(error: BaseException) -> list[BaseException]:
    """The errors of a group, and of the groups inside it."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in leaves_of(each)]
    return [error]


AgainstTheModel.TestCase.settings = settings(stateful_step_count=15)
TestAgainstTheModel = pytest.mark.slow(AgainstTheModel.TestCase)


def random_spec(rng: random.Random) -> Spec:
    """A busy machine: hypothesis shrinks well, this one searches densely."""

    def script() -> list[Op]:
        if rng.random() < 0.4:
            return []
        return [one_op() for _ in range(rng.randint(1, 4))]

    def one_op() -> Op:
        kind = rng.choices(
            ("send", "finish", "fail", "start", "stop", "post", "raise"), (9, 4, 2, 1, 1, 1, 2)
        )[0]
        arguments = {"send": rng.choice(EVENTS), "post": rng.choice(EVENTS)}
        arguments |= dict.fromkeys(("finish", "fail"), rng.randrange(3))
        arguments |= {"start": rng.choice(NAMES)}
        return (kind, arguments[kind]) if kind in arguments else (kind,)

    def some_ways(state: str | None) -> list[Way]:
        def way(guard: str | None) -> Way:
            target = rng.choice(("BACK", *NAMES, *NAMES))
            effect = [one_op()] if rng.random() < 0.1 else [] if rng.random() < 0.1 else None
            is_free = target not in ("BACK", state)
            return Way(target, guard, effect, is_free and rng.random() < 0.35)

        if rng.random() < 0.5:
            return [Way(rng.choice(NAMES))]
        guards = [rng.choice(("yes", "no", "data", "raise")) for _ in range(rng.randint(0, 2))]
        last = [way(None)] if rng.random() < 0.7 or not guards else []
        return [*map(way, guards), *last]

    def some_transitions(chance: float, state: str | None = None) -> dict[str, list[Way]]:
        return {event: some_ways(state) for event in KNOWN if rng.random() < chance}

    def action() -> ActionSpec:
        takes = frozenset(event for event in (*EVENTS, FAILED) if rng.random() < 0.15)
        finish_event = rng.choice(EVENTS) if rng.random() < 0.2 else None
        return ActionSpec(
            script(), script(), script() if rng.random() < 0.3 else [],
            takes, rng.random() < 0.9, finish_event, *(
                script() if rng.random() < 0.3 else [] for _ in range(2)
            ), rng.random() < 0.15, [op for op in script() if op[0] != "send"],
        )  # fmt: skip

    chance = rng.choice((0.2, 0.5))
    states = {
        name: (some_transitions(chance, name), [action() for _ in range(rng.randint(0, 3))])
        for name in NAMES
    }
    groups = [
        (rng.sample(NAMES, rng.randint(0, 3)), some_transitions(chance))
        for _ in range(rng.choice((0, 1, 2)))
    ]
    return Spec(states, some_transitions(chance / 2), groups)


@pytest.mark.parametrize("seed", range(20))
def test_random_machines_follow_the_model(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        run = AgainstTheModel()
        run.build(random_spec(rng), observed=rng.random() < 0.3)
        for _ in range(12):
            run_one(run, rng)


def run_one(run: AgainstTheModel, rng: random.Random) -> None:
    """Make a call."""
    calls = {
        "start": 2, "stop": 1, "send": 6, "post": 1, "update": 5, "end": 1, "regroup": 0.7,
        "rewire": 0.7,
    }  # fmt: skip
    call = rng.choices(list(calls), list(calls.values()))[0]
    state, index, flag = rng.choice(NAMES), rng.randrange(6), rng.random() < 0.5
    event = rng.choice(EVENTS)
    arguments: dict[str, tuple[Any, ...]] = {
        "start": (state,), "send": (event, flag), "post": (event,), "end": (index, flag),
        "regroup": (index % 2, state), "rewire": (index, rng.choice(KNOWN), state),
    }  # fmt: skip
    getattr(run, call)(*arguments.get(call, ()))
