"""Hold a dialogue with choices.

The conversation is a table, and the table becomes a machine: each line is a
state, each answer an event that leads to the next line. `fsmkit draw` shows the
table as a diagram, and [a check](../checks.md) finds lines that no answer leads
to. A misspelt line is an error as soon as the machine is built.

Not every answer is always available: the player needs a coin to pay, which is a
[guard](../concepts/guards.md). To offer only the answers that are allowed, call
`why`, which says what an event would do and does not send it.
"""

from actions import DelegateAction
from fsmkit import Fsm, FsmState
from fsmkit.recording import why

PAY = "Here is a coin."
LINES: dict[str, tuple[str, dict[str, str]]] = {
    "Hello": ("Who goes there?", {"A friend.": "Toll", "Nobody.": "Hello"}),
    "Toll": ("A coin, please.", {PAY: "Pass", "I have none.": "Leave"}),
    "Pass": ("Good night, then.", {}),
    "Leave": ("Then swim.", {}),
}


def has_coin(state: FsmState[dict[str, int]]) -> bool:
    return state.context["coins"] > 0


def say(state: FsmState[dict[str, int]]) -> None:
    print(LINES[state.name][0])


def build() -> Fsm[dict[str, int]]:
    fsm = Fsm("Bridge", context={"coins": 0})
    for name, (_, answers) in LINES.items():
        fsm.add_state(name, final=not answers).add_action(DelegateAction(say))
    for name, (_, answers) in LINES.items():
        for answer, following in answers.items():
            when = has_coin if answer == PAY else None
            fsm.states[name].add_transition(answer, following, when=when)
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for answer in ("Nobody.", "A friend.", "I have none."):
        known = fsm.states[fsm.path[0]].transitions
        print(" ", *(a for a in known if why(fsm, a, None).target), ">", answer)
        fsm.send_event(answer)
