"""States in which `start=` begins: a dotted arrow leads to them, whoever sends no event there."""

from typing import Any

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmState
from fsmkit.diagram import to_dot, to_mermaid, to_svg, to_text


def air() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Air")
    fall, jump, glide = (fsm.add_state(name) for name in ("Fall", "Jump", "Glide"))
    jump.add_transition("TOP", fall)
    fall.add_transition("GLIDE", glide)
    return fsm


def frog(inner: Fsm[None], start: Any) -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Frog")
    ground, above = fsm.add_state("Ground"), fsm.add_state("In the air")
    ground.add_transition("JUMP", above)
    above.add_action(RunFsm(inner, start=start))
    return fsm


def starts(fsm: Fsm[Any]) -> list[str]:
    """Return the states that dotted arrows lead to from the beginning of a nested machine."""
    lines = [line for line in to_dot(fsm).splitlines() if 'class="starts"' in line]
    assert all('style="dotted"' in line for line in lines)
    return [line.split('"')[3] for line in lines]


def test_a_dotted_arrow_leads_to_the_state_that_start_names() -> None:
    assert starts(frog(air(), "Jump")) == ["Frog_2f_Air__Jump"]
    inner = air()
    assert starts(frog(inner, inner.states["Jump"])) == ["Frog_2f_Air__Jump"]


def test_the_first_state_has_its_arrow_already() -> None:
    assert starts(frog(air(), "Fall")) == []
    assert starts(frog(air(), None)) == []


def test_dotted_arrows_lead_to_the_states_that_a_function_mentions() -> None:
    inner = air()
    jump = inner.states["Jump"]

    def begin(state: FsmState[None]) -> FsmState[None] | str:
        return jump if state.fsm.last_event == "JUMP" else "Glide"

    assert starts(frog(inner, begin)) == ["Frog_2f_Air__Jump", "Frog_2f_Air__Glide"]


def test_every_picture_says_who_starts_it_there() -> None:
    fsm = frog(air(), "Jump")
    assert "○ Jump  (started by In the air)" in to_text(fsm)
    assert "[*] --> Frog_2f_Air__Jump : started by In the air" in to_mermaid(fsm)


@pytest.mark.usefixtures("graphviz")
def test_the_arrow_has_a_tooltip() -> None:
    assert ">Air may start in Jump, by In the air</title>" in to_svg(frog(air(), "Jump"))


def test_a_machine_that_two_states_run_has_one_arrow_for_both() -> None:
    inner = air()
    fsm = frog(inner, "Jump")
    fsm.states["Ground"].add_action(RunFsm(inner, start="Jump"))
    assert starts(fsm) == ["Frog_2f_Air__Jump"]
    assert "(started by Ground, In the air)" in to_text(fsm)
