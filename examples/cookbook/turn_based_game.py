"""Take turns in a game.

Two players take matches in turn, and a move out of turn has no effect. This is
the game of Nim: take one to three matches, and win if you take the last one.
The state says whose turn it is, and only the moves of that player lead out of
it. A move is an event with data. Its transitions have
[guards](../concepts/guards.md), which decide what is allowed and who has won,
and an effect that makes the move.

Both players obey the same rules. A move against the rules is refused:
`send_event` returns `False`, and it is still the same player's turn. The
computer moves with a `SendEvent`. The delay makes it seem to think, and the
data of the event is computed when it is sent.
"""

from actions import SendEvent
from fsmkit import Fsm, FsmState


def is_allowed(state: FsmState[dict[str, int]], taken: int) -> bool:
    return 1 <= taken <= min(3, state.context["matches"])


def takes_last(state: FsmState[dict[str, int]], taken: int) -> bool:
    return taken == state.context["matches"] <= 3


def take(state: FsmState[dict[str, int]], taken: int) -> None:
    state.context["matches"] -= taken


def best_move(state: FsmState[dict[str, int]]) -> int:
    return state.context["matches"] % 4 or 1


def build() -> Fsm[dict[str, int]]:
    fsm = Fsm("Nim", context={"matches": 10}, on_unhandled="ignore")
    you, other = map(fsm.add_state, ("You", "Computer"))
    for player, move, rival in ((you, "TAKE", other), (other, "REPLY", you)):
        won = fsm.add_state(f"{player.name} won", final=True)
        player.add_transition(move, won, when=takes_last, do=take)
        player.add_transition(move, rival, when=is_allowed, do=take)
    other.add_action(SendEvent("REPLY", best_move, delay=1.0))
    return fsm


if __name__ == "__main__":
    fsm = build()
    fsm.start()
    for taken in (3, 4, 1):
        print(f"take {taken}: {fsm.send_event('TAKE', taken)}, {fsm.context}")
        fsm.update(1.0)
        print(f"    {fsm.path[0]}, {fsm.context}")
