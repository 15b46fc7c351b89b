import asyncio

from making.gallery.lanes import lanes
from making.gallery.strip import Strip

from actions import Await, InThread
from fsmkit import FINISHED, Fsm


def await_() -> Strip:
    async def load():
        await asyncio.sleep(1.0)  # a request, a file, a model
        return "the answer"

    player = Fsm("Player")
    ask, talk = player.add_state("Ask"), player.add_state("Talk")
    ask.add_action(Await(load))
    ask.add_transition(FINISHED, talk)
    return lanes(player, 2.0, work={1.0: None})


def in_thread() -> Strip:
    def think():
        return sum(range(1_000_000))  # what takes long

    player = Fsm("Player")
    wait, play = player.add_state("Think"), player.add_state("Play")
    wait.add_action(InThread(think))
    wait.add_transition(FINISHED, play)
    return lanes(player, 2.0, work={1.0: None})
