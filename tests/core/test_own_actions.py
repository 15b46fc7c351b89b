"""What no class of actions can mean is refused where the class is written."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Generic, Protocol, TypeVar
from unittest.mock import Mock, patch

import pytest
from attrs import define, field, frozen
from every import every

import actions
from actions import Parallel, RunFsm, TimedWait
from fsmkit import BACK, Fsm, FsmAction, FsmState
from fsmkit.core.checks.subclasses import CALLBACKS
from fsmkit.recording import snapshot
from fsmkit.testing import Recorder, drive

T = TypeVar("T")


def nothing(self: FsmAction) -> None:
    """A method like a callback."""


def own(**body: object) -> type[FsmAction]:
    """A class of actions with this body."""
    return type("Lamp", (FsmAction,), body)


SLIPS = {
    "OnEnter": "on_enter", "onEnter": "on_enter", "on_Enter": "on_enter", "onenter": "on_enter",
    "on_entr": "on_enter", "on_entter": "on_enter", "on_etner": "on_enter", "on_entry": "on_enter",
    "OnUpdate": "on_update", "on_upate": "on_update", "on_updaet": "on_update",
    "OnExit": "on_exit", "on_exitt": "on_exit", "on_eixt": "on_exit", "on_exi": "on_exit",
    "OnEvent": "on_event", "on_evnt": "on_event", "on_events": "on_event",
    "on_supend": "on_suspend", "OnSuspend": "on_suspend", "on_resum": "on_resume",
}  # fmt: skip


@every(("name", "meant"), SLIPS.items())
def test_a_misspelt_callback_is_refused(name: str, meant: str) -> None:
    with pytest.raises(TypeError) as raised:
        own(**{name: nothing})
    assert str(raised.value) == (
        f"Lamp.{name}: a callback must be spelt as fsmkit calls it: did you mean {meant}? "
        "If this is a method of your own, give it another name."
    )


@every(
    "name",
    ["on_edit", "on_updated", "on_entered", "on_exited", "on_resize", "on_center", "on_key_press",
     "_on_enter", "__on_exit", "enter", "update", "no_exit", "on", "on_e", "only_enter", "on_error",
     "on_paused", "on_suspended", "on_resumed", "ON"],
)  # fmt: skip
def test_other_names_are_free(name: str) -> None:
    own(**{name: nothing})


def test_what_is_not_a_function_may_have_any_name() -> None:
    own(OnEnter=5, on_entr=Mock(), OnExit=type("OnExit", (), {}))


def test_an_adapter_may_call_its_own_callbacks_as_it_likes() -> None:
    class Unity(FsmAction):
        def on_enter(self) -> None:
            self.OnEnter()

        def OnEnter(self) -> None:  # noqa: N802
            pass

    class Lamp(Unity):
        def OnEnter(self) -> None:  # noqa: N802
            self.fsm.context.append("lit")

    fsm = Fsm("M", context=[])
    fsm.add_state("A").add_action(Lamp())
    fsm.start()
    assert fsm.context == ["lit"]


def two(self: FsmAction, state: FsmState) -> None: ...
def none() -> None: ...
def event_only(self: FsmAction, event: str) -> bool: ...
def keyword(self: FsmAction, *, speed: float) -> None: ...


@pytest.mark.parametrize(
    ("name", "function", "message"),
    [
        ("on_enter", two, ("Lamp.on_enter must be callable as on_enter(self), got "
         "on_enter(self, state). The state is self.state.")),
        ("on_update", none, "Lamp.on_update must be callable as on_update(self), got on_update()."),
        ("on_event", event_only, ("Lamp.on_event must be callable as on_event(self, event, data), "
         "got on_event(self, event).")),
        ("on_exit", keyword,
         "Lamp.on_exit must be callable as on_exit(self), got on_exit(self, *, speed)."),
        ("on_resume", two, ("Lamp.on_resume must be callable as on_resume(self), got "
         "on_resume(self, state). The state is self.state.")),
        ("on_enter", None, "Lamp.on_enter must be a method, got None."),
    ],
)  # fmt: skip
def test_a_callback_that_could_not_be_called_is_refused(
    name: str, function: object, message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        own(**{name: function})
    assert str(raised.value) == message


@pytest.mark.parametrize("name", CALLBACKS)
def test_an_asynchronous_callback_and_a_generator_are_refused(name: str) -> None:
    async def wait(self: FsmAction, *given: object) -> None:
        await asyncio.sleep(0)

    async def stream(self: FsmAction, *given: object) -> Any:
        yield 1

    def steps(self: FsmAction, *given: object) -> Iterator[None]:
        yield

    with pytest.raises(
        TypeError, match=rf"Lamp.{name} must be a plain method, got an async .*Await"
    ):
        own(**{name: wait})
    with pytest.raises(
        TypeError, match=rf"Lamp.{name} must be a plain method, got an async .*Await"
    ):
        own(**{name: stream})
    with pytest.raises(TypeError, match=rf"Lamp.{name} must be a plain .*generator.*Coroutine"):
        own(**{name: steps})


def test_the_error_about_an_async_on_event_says_what_it_would_do() -> None:
    async def on_event(self: FsmAction, event: str, data: object) -> bool:
        return False

    with pytest.raises(TypeError, match="got an async one, which would take every event"):
        own(on_event=on_event)


def test_callbacks_may_have_more_arguments_with_defaults() -> None:
    def with_default(
        self: FsmAction, strength: int = 3, *rest: int, loud: bool = False
    ) -> None: ...
    def any_arguments(*given: object) -> None: ...
    def decorated(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def wrapper(*given: object) -> None:
            function(*given)

        return wrapper

    own(on_enter=with_default, on_update=any_arguments, on_exit=decorated(nothing))
    own(on_enter=Mock(), on_exit=staticmethod(nothing))


@every(
    ("name", "value", "message"),
    [
        ("sends", "GO", ("Lamp.sends must be a sequence of events, got 'GO'. "
         "Write sends = ('GO',).")),
        ("takes", "GO", ("Lamp.takes must be a sequence of events, got 'GO'. "
         "Write takes = ('GO',).")),
        ("sends", None, "Lamp.sends must be a sequence of events, got None."),
        ("sends", ("GO", 5), "Lamp.sends must be names of events, got 5 in it."),
        ("takes", ("",), "Lamp.takes must be names of events, got '' in it."),
        ("machines", Fsm("M"),
         "Lamp.machines must be a sequence of machines, got <Fsm 'M': not running>."),
        ("children", 5, "Lamp.children must be a sequence of actions, got 5."),
        ("children", nothing,
         "Lamp.children must be a property, got a method. Write @property above it."),
        ("finishes", nothing,
         "Lamp.finishes must be a property, got a method. Write @property above it."),
        ("finishes", "soon",
         "Lamp.finishes must be one of 'at once', 'in time', 'never', None, got 'soon'."),
        ("background", "blue", ("Lamp.background must be True or False, got 'blue': whether the "
         "state may be finished without this action.")),
        ("background", None, ("Lamp.background must be True or False, got None: whether the "
         "state may be finished without this action.")),
        ("background", nothing,
         "Lamp.background must be a property, got a method. Write @property above it."),
    ],
)  # fmt: skip
def test_a_declaration_that_cannot_be_read_is_refused(
    name: str, value: object, message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        own(**{name: value})
    assert str(raised.value) == message


class Plain(FsmAction):
    """Says nothing of itself."""


class Saying(FsmAction):
    """Says everything of itself in its body."""

    sends: Sequence[str] = ()
    takes: Sequence[str] = ()
    background = True


@dataclass(eq=False)
class Fields(FsmAction):
    """Says everything of itself in fields."""

    takes: Sequence[str] = ()
    background: bool = False


@every("kind", [Plain, Saying, Fields])
@every(
    ("name", "value", "message"),
    [
        ("background", "blue", "background must be True or False, got 'blue': "),
        ("background", None, "background must be True or False, got None: "),
        ("finish_event", 3, "finish_event must be the name of an event, or None, got 3."),
        ("waits_for", 3, "waits_for must be words, got 3."),
        ("next_due", "x", "next_due must be a number of seconds, got 'x'."),
        ("takes", 3, "takes must be a sequence of events, got 3."),
        ("takes", "GO", "takes must be a sequence of events, got 'GO'. Write takes = ('GO',)."),
    ],
)
def test_a_value_of_an_action_that_cannot_be_read_is_refused_at_the_latest_where_it_is_added(
    kind: type[FsmAction], name: str, value: Any, message: str
) -> None:
    state = Fsm("M").add_state("A")
    for wrapped in (lambda action: action, Parallel):
        with pytest.raises(TypeError) as raised:
            state.add_action(wrapped(with_value(kind(), name, value)))
        assert str(raised.value).startswith(f"{kind.__name__}.{message}")
    assert state.actions == ()


def with_value(action: FsmAction, name: str, value: object) -> FsmAction:
    setattr(action, name, value)
    return action


def test_sends_is_refused_where_its_class_lets_it_be_set() -> None:
    with pytest.raises(TypeError, match="^Saying.sends must be a sequence of events, got 3.$"):
        Fsm("M").add_state("A").add_action(with_value(Saying(), "sends", 3))


def test_a_declaration_that_is_computed_is_not_asked_where_the_action_is_added() -> None:
    class Asked(FsmAction):
        background = property(lambda self: self.context["quiet"])
        takes = property(lambda self: self.context["words"])

    state = Fsm("M", context={"quiet": True, "words": ("HI",)}).add_state("A")
    assert state.add_action(Asked()).background


@pytest.mark.parametrize("kind", [Plain, Saying, Fields])
def test_an_action_may_have_values_of_its_own(kind: type[FsmAction]) -> None:
    action = with_value(with_value(kind(), "takes", ["GO"]), "background", True)
    assert Fsm("M").add_state("A").add_action(action).takes == ["GO"]


def test_declarations_are_properties_or_lie_in_the_body_of_the_class() -> None:
    own(sends=("GO",), takes=["A", "B"], machines=(), children=[], finishes="in time")
    own(background=True)
    own(background=property(lambda self: True))
    own(finishes=None, sends=property(lambda self: ("GO",)), children=cached_property(lambda _: ()))
    own(context=property(lambda self: 5), delta_time=property(lambda self: 0.0))
    own(enabled=property(lambda self: True), finished=property(lambda self: False))


@every(
    ("name", "purpose"),
    [("state", "it is the state that the action belongs to"),
     ("fsm", "it is the machine that the action belongs to"),
     ("context", "it is the context of the machine"),
     ("finished", "it tells whether finish() or fail() has been called in this visit"),
     ("delta_time", "it is the seconds that the current update stands for"),
     ("enabled", "it tells whether the action takes part; set self.enabled where that is decided")],
)  # fmt: skip
@every("value", ["open", None, nothing])
def test_a_name_of_the_machinery_is_refused_in_the_body_of_a_class(
    name: str, purpose: str, value: object
) -> None:
    with pytest.raises(TypeError) as raised:
        own(**{name: value})
    assert str(raised.value) == (
        f"Lamp.{name}: the name must be left to fsmkit: {purpose}. "
        "Give your own attribute another name."
    )


def test_a_slot_and_a_field_named_state_are_refused() -> None:
    with pytest.raises(TypeError, match="Lamp.state: the name must be left"):
        own(__slots__=("state",))
    with pytest.raises(TypeError, match="Lamp.state: the name must be left"):
        own(state=property(lambda self: "open"))
    with pytest.raises(TypeError, match="Lamp.fsm: the name must be left"):

        @define(eq=False, repr=False, slots=False)
        class Lamp(FsmAction):
            fsm: str = field(default="x")


def test_an_annotation_of_a_name_of_the_machinery_is_allowed() -> None:
    class Lamp(FsmAction[int]):
        state: FsmState[int]
        fsm: Fsm[int]
        context: int
        finish_event: str | None

    fsm = Fsm("M", context=5)
    lamp = fsm.add_state("A").add_action(Lamp())
    assert (lamp.state, lamp.context) == (fsm.states["A"], 5)


@pytest.mark.parametrize(
    "name", ["context", "finished", "delta_time", "sends", "machines", "children", "finishes"]
)
def test_a_value_assigned_to_a_name_of_the_machinery_says_what_that_is(name: str) -> None:
    class Lamp(FsmAction):
        def __init__(self) -> None:
            setattr(self, name, ("X",))

    with pytest.raises(AttributeError) as raised:
        Lamp()
    assert str(raised.value).startswith(f"The {name} of a Lamp cannot be set: it ")
    assert str(raised.value).endswith(". Give your own attribute another name.")


def test_what_a_class_overrides_it_may_set() -> None:
    class Lamp(FsmAction):
        sends: Sequence[str] = ()

        def __init__(self, *events: str) -> None:
            self.sends = events

    assert Lamp("ON").sends == ("ON",)


def test_classes_of_every_make_are_accepted() -> None:
    class Lit(Protocol):
        bright: float

    class Plain(FsmAction, Lit):
        __slots__ = ("bright",)

    class Typed(FsmAction[T], Generic[T]):
        def on_enter(self) -> None: ...

    @define(eq=False, repr=False)
    class Slotted(FsmAction):
        sends: Sequence[str] = field(default=("GO",))

    @define(eq=False, repr=False, slots=False)
    class Fields(FsmAction):
        enabled: bool = field(default=False)

    @dataclass(eq=False, repr=False, slots=True)
    class Data(FsmAction):
        bright: float = 1.0

        def on_enter(self) -> None: ...

    class Tagged(FsmAction):
        def __init_subclass__(cls, tag: str, **options: Any) -> None:
            super().__init_subclass__(**options)
            cls.tag = tag

    class Red(Tagged, tag="red"):
        tag: str

    fsm = Fsm("M")
    state = fsm.add_state("A")
    for action in (Plain(), Typed[int](), Slotted(), Fields(), Data(2.0), Red()):
        state.add_action(action)
    fsm.start()
    assert (Slotted().sends, Fields().enabled, Red.tag) == (("GO",), False, "red")


@pytest.mark.parametrize("callback", CALLBACKS)
def test_a_callback_set_on_an_action_is_refused_where_it_is_entered(callback: str) -> None:
    fsm = Fsm("M")
    action = fsm.add_state("A").add_action(Plain())
    setattr(action, callback, nothing)
    with pytest.raises(TypeError) as raised:
        fsm.start()
    assert str(raised.value) == (
        f"Plain: {callback} is set on the action, where it would never be called. Override it "
        f"in a class, or use DelegateAction({callback}=...)."
    )
    assert raised.value.__notes__ == ["Fsm 'M', state 'A', actions[0] (Plain), on_enter"]
    delattr(action, callback)
    fsm.start()
    assert fsm.is_running


@pytest.mark.parametrize("callback", CALLBACKS)
def test_a_callback_set_on_a_child_is_refused_where_it_is_added(callback: str) -> None:
    state = Fsm("M").add_state("A")
    with pytest.raises(TypeError, match=f"Plain: {callback} is set on the action"):
        state.add_action(Parallel(with_value(Plain(), callback, nothing)))
    assert state.actions == ()


@dataclass(frozen=True)
class FrozenByDataclasses(FsmAction):
    """Cannot note what becomes of it."""


@frozen
class FrozenByAttrs(FsmAction):
    """Cannot note what becomes of it."""


@pytest.mark.parametrize("kind", [FrozenByDataclasses, FrozenByAttrs])
def test_a_frozen_action_is_refused_where_it_is_added(kind: type[FsmAction]) -> None:
    with pytest.raises(TypeError, match=f"^{kind.__name__}: an action must not be frozen, as it k"):
        Fsm("M").add_state("A").add_action(kind())


def test_the_public_names_of_an_action_are_few() -> None:
    """Users fill this class with names of their own."""
    assert {name for name in dir(FsmAction) if not name.startswith("_")} == {
        *CALLBACKS, "state", "fsm", "context", "delta_time", "finish", "finished", "fail",
        "failed", "enabled", "background", "finish_event", "sends", "takes", "machines", "children",
        "finishes", "waits_for", "next_due", "nested",
    }  # fmt: skip


FREED = (
    "adopt_child", "enter_child", "exit_child", "exit_children", "machine_restored",
    "machine_settled", "makes_children", "moment", "offer_child", "offers_to", "release_child",
    "resume_children", "resume_machine", "send_in_time", "send_outward", "start_machine",
    "stop_machine", "suspend_children", "suspend_machine", "unused", "update_child", "work_done",
    "would_take",
)  # fmt: skip
"""What composites had as public names before 0.3."""


@every("name", FREED)
def test_what_composites_need_leaves_the_names_to_users(name: str) -> None:
    action = with_value(Plain(), name, 3)
    fsm = Fsm("M", carry_time=True)
    fsm.add_state("A").add_action(Parallel(action, TimedWait(0.25)))
    fsm.start()
    fsm.update(1.0)
    fsm.stop()
    assert getattr(action, name) == 3


@every("name", FREED)
def test_a_method_of_a_user_may_have_such_a_name_too(name: str) -> None:
    def never(self: FsmAction, *given: object) -> None:
        raise AssertionError(f"{name} is the user's")

    fsm = Fsm("M", carry_time=True, on_unhandled="ignore")
    a, pause = fsm.add_state("A"), fsm.add_state("Pause")
    inside = own(**{name: never, "on_update": nothing})
    inner = Fsm("Inner", on_unhandled="ignore")
    inner.add_state("I").add_action(inside())
    for kind, parameter in ((RunFsm, inner), (Parallel, inside()), (actions.Sequence, inside())):
        body = {} if hasattr(kind, name) else {name: never}  # some have a method of that name
        a.add_action(type("Own", (kind,), body)(parameter))
    a.add_transition("BREAK", pause, suspend=True)
    pause.add_transition("OK", BACK)
    journal = drive(fsm, [0.25, "HEARD", "BREAK", 0.25, "OK", 0.25, fsm.stop])
    assert journal[-1] == "leave A"
    assert [line for line in journal if line.startswith("Own")] == [
        "Own entered", "Own entered", "Own entered", "Own left", "Own left", "Own left",
    ]  # fmt: skip


NAMES = [name for name in dir(FsmAction) if not name.startswith(("_", "on_"))]


@every("name", NAMES)
def test_a_name_of_every_action_works_for_a_user_or_is_refused_in_words(name: str) -> None:
    refused = ""
    state = Fsm("M").add_state("A")
    try:
        state.add_action(with_value(Plain(), name, 3))
    except (AttributeError, TypeError) as error:
        refused = str(error)
    told = rf"The {name} of a Plain cannot be set: it .*\.|Plain\.{name} must be .*, got 3[.:].*"
    assert not refused or re.fullmatch(told, refused)
    state.fsm.start()
    state.fsm.update(0.1)
    snapshot(state.fsm)
    state.fsm.stop()
    assert [getattr(action, name) for action in state.actions] == ([] if refused else [3])


# A class that is patched is seen at the next entry, and no more at the one after


def patched_callback(name: str) -> Callable[..., Any]:
    def callback(self: FsmAction, *given: object) -> bool:
        self.context.append(f"patched {name}")
        return name == "on_event"

    return callback


def journal_of(kind: type[FsmAction], *, observed: bool = False, within: Any = None) -> Fsm[Any]:
    """A machine with an action of `kind` in A; GO, BACK, PAUSE and OK lead round."""
    fsm: Fsm[Any] = Fsm("M", context=[], on_unhandled="ignore")
    a, b, pause = (fsm.add_state(name) for name in ("A", "B", "Pause"))
    action = kind()
    a.add_action(action if within is None else within(action))
    a.add_transition("GO", b)
    a.add_transition("PAUSE", pause, suspend=True)
    b.add_transition("HOME", a)
    pause.add_transition("OK", BACK)
    if observed:
        Recorder(fsm)
    fsm.start("B")
    return fsm


def visit(fsm: Fsm[Any], *, pauses: bool = False) -> list[str]:
    """What is written down in a visit in which each callback is called once."""
    fsm.context.clear()
    fsm.send_event("HOME")
    fsm.update(0.1)
    fsm.send_event("HEARD")
    if pauses:
        fsm.send_event("PAUSE")
        fsm.send_event("OK")
    fsm.send_event("GO")
    return [*fsm.context]


class Written(FsmAction[Any]):
    """Writes down every callback."""

    def on_enter(self) -> None:
        self.context.append("on_enter")

    def on_update(self) -> None:
        self.context.append("on_update")

    def on_event(self, event: str, data: object) -> bool:
        if event == "HEARD":
            self.context.append("on_event")
        return event == "HEARD"

    def on_suspend(self) -> None:
        self.context.append("on_suspend")

    def on_resume(self) -> None:
        self.context.append("on_resume")

    def on_exit(self) -> None:
        self.context.append("on_exit")


class Silent(FsmAction[Any]):
    """Overrides nothing."""


class Heir(Written):
    """Overrides nothing of its base."""


VISITED = ["on_enter", "on_update", "on_event", "on_exit"]
PAUSED = [*VISITED[:-1], "on_suspend", "on_resume", "on_exit"]
AROUND: dict[str, Any] = {"alone": None, "in a Parallel": Parallel}
each_place = every("within", AROUND.values())


each_callback = every("name", ["on_enter", "on_update", "on_exit"])


@each_place
@every("observed", [False, True])
@every("kind", [Written, Heir])
@each_callback
def test_a_patch_of_a_callback_that_a_class_has_holds_for_the_visits_that_begin_in_it(
    name: str, kind: type[FsmAction], observed: bool, within: Any
) -> None:
    fsm = journal_of(kind, observed=observed, within=within)
    assert visit(fsm) == VISITED
    with patch.object(kind, name, patched_callback(name)):
        expected = [f"patched {each}" if each == name else each for each in VISITED]
        assert visit(fsm) == expected
        assert visit(fsm) == expected
    assert visit(fsm) == VISITED
    assert visit(fsm) == VISITED


@each_place
@every("observed", [False, True])
@each_callback
def test_a_patch_of_a_callback_that_a_class_does_not_have_holds_so_too(
    name: str, observed: bool, within: Any
) -> None:
    fsm = journal_of(Silent, observed=observed, within=within)
    assert visit(fsm) == []
    with patch.object(Silent, name, patched_callback(name)):
        assert visit(fsm) == [f"patched {name}"]
        assert visit(fsm) == [f"patched {name}"]
    assert visit(fsm) == []
    assert visit(fsm) == []


@each_place
@pytest.mark.parametrize("name", ["on_suspend", "on_resume"])
def test_so_does_a_patch_of_what_is_called_around_an_interruption(name: str, within: Any) -> None:
    written, silent = (journal_of(kind, within=within) for kind in (Written, Silent))
    assert (visit(written, pauses=True), visit(silent, pauses=True)) == (PAUSED, [])
    change = patched_callback(name)
    with patch.object(Written, name, change), patch.object(Silent, name, change):
        expected = [f"patched {each}" if each == name else each for each in PAUSED]
        assert visit(written, pauses=True) == expected
        assert visit(silent, pauses=True) == [f"patched {name}"]
    assert (visit(written, pauses=True), visit(silent, pauses=True)) == (PAUSED, [])


@each_place
@pytest.mark.parametrize("kind", [Written, Heir, Silent])
def test_a_patch_of_on_event_takes_the_events_of_the_visits_that_begin_in_it(
    kind: type[FsmAction], within: Any
) -> None:
    fsm = journal_of(kind, within=within)
    before = visit(fsm)
    with patch.object(kind, "on_event", patched_callback("on_event")):
        fsm.context.clear()
        fsm.send_event("HOME")
        assert fsm.send_event("GO")
        assert fsm.current_state.name == "A"
        assert fsm.context[-1] == "patched on_event"
        fsm.start("B")
    assert visit(fsm) == before


@pytest.mark.parametrize("kind", [Written, Silent])
def test_a_visit_that_has_begun_keeps_the_callbacks_of_its_beginning(kind: type[FsmAction]) -> None:
    fsm = journal_of(kind)
    fsm.send_event("HOME")
    with patch.object(kind, "on_update", patched_callback("on_update")):
        fsm.context.clear()
        fsm.update(0.1)
        assert fsm.context == (["on_update"] if kind is Written else [])
        fsm.send_event("GO")
        fsm.send_event("HOME")
    fsm.context.clear()
    fsm.update(0.1)
    assert fsm.context == ["patched on_update"]


def test_a_patch_of_a_base_is_seen_in_the_classes_that_inherit_from_it() -> None:
    fsm = journal_of(Heir)
    assert visit(fsm)[0] == "on_enter"
    with patch.object(Written, "on_enter", patched_callback("on_enter")):
        assert visit(fsm)[0] == "patched on_enter"
        with patch.object(Heir, "on_enter", lambda self: self.context.append("twice")):
            assert visit(fsm)[0] == "twice"
        assert visit(fsm)[0] == "patched on_enter"
    assert visit(fsm)[0] == "on_enter"


def test_a_mock_in_the_place_of_a_callback_is_called_in_each_visit() -> None:
    fsm = journal_of(Written)
    visit(fsm)
    with patch.object(Written, "on_enter", autospec=True) as entering:
        visit(fsm)
        visit(fsm)
    visit(fsm)
    assert [call.args for call in entering.call_args_list] == [(fsm.states["A"].actions[0],)] * 2


def test_a_patch_by_pytest_is_seen_in_machines_that_share_the_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = journal_of(Written), journal_of(Written)
    assert visit(one) == visit(other) == VISITED
    monkeypatch.setattr(Written, "on_exit", patched_callback("on_exit"))
    assert visit(one) == visit(other) == [*VISITED[:-1], "patched on_exit"]
    monkeypatch.undo()
    assert visit(one) == visit(other) == VISITED


def test_a_patch_is_seen_in_a_nested_machine() -> None:
    fsm = journal_of(Written)
    fsm.stop()
    outer = Fsm("Outer")
    outer.add_state("O").add_action(RunFsm(fsm, start="A"))
    outer.states["O"].add_transition("AGAIN", "O")
    outer.start()
    with patch.object(Written, "on_enter", patched_callback("on_enter")):
        outer.send_event("AGAIN")
    outer.send_event("AGAIN")
    assert fsm.context == [
        "on_enter", "on_exit", "patched on_enter", "on_exit", "on_enter",
    ]  # fmt: skip
