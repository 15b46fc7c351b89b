"""The forms of actions: each parameter with its kind, unit, choices and default."""

import inspect
from itertools import pairwise

import pytest
from attrs import asdict

import actions
from fsmkit import FsmAction
from fsmkit.editing import AsWritten
from fsmkit.editing.action_forms import ActionForm, FormField, action_forms
from fsmkit.editing.values import value_for

FORMS = {form.name: form for form in action_forms()}


def field(action: str, name: str) -> FormField:
    return next(each for each in FORMS[action].parameters if each.name == name)


def test_a_form_says_what_a_parameter_is() -> None:
    assert asdict(field("TimedWait", "duration")) == {
        "name": "duration", "kind": "number", "required": True, "default": "", "unit": "s",
        "choices": [], "curves": None, "help": "Wait duration seconds, then finish.",
    }  # fmt: skip
    kinds = [(each.name, each.kind, each.default, each.unit) for each in FORMS["Wander"].parameters]
    assert kinds == [
        ("transform", "code", "", None),
        ("speed", "number", "", "units/s"),
        ("rng", "code", "", None),
        ("space", "choice", "Space.WORLD", None),
        ("time", "code", "None", None),
        ("turning", "number", "120.0", "°/s"),
        ("around", "code", "None", None),
        ("radius", "number", "None", "units"),
        ("up", "number", "None", None),
    ]
    assert [each.kind for each in FORMS["Log"].parameters] == ["text", "text", "number"]
    assert field("OnEvent", "event").kind == "text"
    assert field("FollowWaypoints", "resume").kind == "flag"


def test_choices_are_what_is_written_in_code() -> None:
    assert field("Move", "space").choices == ["Space.WORLD", "Space.SELF"]
    assert field("Await", "suspended").choices == ["'begin again'", "'go on'"]
    easing = field("Shake", "easing")
    assert easing.default == "easing.ease_out_quad"
    assert easing.default in easing.choices


def test_easings_have_curves() -> None:
    easing = field("Move", "easing")
    assert easing.curves is not None
    curves = dict(zip(easing.choices, easing.curves, strict=True))
    assert curves["easing.linear"] == [step / 16 for step in range(17)]
    assert {(len(each), each[0], each[-1]) for each in curves.values()} == {(17, 0.0, 1.0)}


def test_the_actions_come_by_topics_without_those_that_take_many_arguments() -> None:
    topics = [form.topic for form in action_forms()]
    assert len(set(topics)) == 1 + sum(one != other for one, other in pairwise(topics))
    left_out = {
        name
        for name in actions.__all__
        if name not in FORMS
        and isinstance(kind := getattr(actions, name), type)
        and issubclass(kind, FsmAction)
    }
    assert left_out == {
        "Composite", "Defer", "IgnoreEvents", "Regions", "SequenceEvent", "TimedAction",
    }  # fmt: skip
    assert {name for name, form in FORMS.items() if form.holds} == {
        "Parallel", "Race", "Repeat", "Selector", "Sequence", "Utility",
    }  # fmt: skip


@pytest.mark.parametrize("form", action_forms(), ids=lambda form: form.name)
def test_every_parameter_is_in_the_form(form: ActionForm) -> None:
    known = inspect.signature(getattr(actions, form.name)).parameters
    is_one = {name: each.kind is not each.VAR_POSITIONAL for name, each in known.items()}
    assert [each.name for each in form.parameters] == [name for name in known if is_one[name]]
    assert form.summary.endswith(".")


@pytest.mark.parametrize(
    ("action", "parameter", "text", "value"),
    [
        ("Log", "message", "hello there", "hello there"),
        ("Log", "message", "5", "5"),
        ("Log", "message", "'5'", "5"),
        ("SendEvent", "event", "True", "True"),
        ("SendEvent", "delay", "2", 2),
        ("TimedWait", "finish_event", "None", None),
        ("SendRandomEvent", "weights", "{'A': 1}", {"A": 1}),
    ],
)
def test_a_text_stays_a_text(action: str, parameter: str, text: str, value: object) -> None:
    assert value_for(AsWritten(text), getattr(actions, action), parameter) == value
