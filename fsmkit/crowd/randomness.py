"""Random numbers of agents: each depends only on the seed, the agent, the step and the call.

Neither the order of the agents nor the number of threads matters. The generator is
Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy
as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math
from inspect import getsource
from typing import Any, Final

from fsmkit.crowd.errors import no_agent

WORD: Final = 0xFFFFFFFF
FIRST: Final = 0xD2511F53
SECOND: Final = 0xCD9E8D57
FIRST_KEY: Final = 0x9E3779B9
SECOND_KEY: Final = 0xBB67AE85
ROUNDS: Final = 10


def random(agent: Any) -> float:
    """Return a random number >= 0 and < 1, with 53 bits.

    For the functions of a crowd's actions, with the `agent` that they get.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Npc:
    ...     luck: float = 0.0
    >>> def roll(npc, world):
    ...     npc.luck = random(npc)
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Play").add_action(CrowdAction(on_enter=roll))
    >>> crowd = Crowd(machine, 3, start="Play", engine="python", seed=1)
    >>> crowd["luck"].round(2).tolist()
    [0.51, 0.02, 0.59]
    """
    return _drawn("random", agent)


def uniform(agent: Any, low: float, high: float) -> float:
    """Return a random number from `low` to `high`.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> def place(npc, world):
    ...     npc.x = uniform(npc, -5.0, 5.0)
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Stand").add_action(CrowdAction(on_enter=place))
    >>> crowd = Crowd(machine, 3, start="Stand", engine="python", seed=1)
    >>> crowd["x"].round(2).tolist()
    [0.13, -4.76, 0.9]
    """
    return low + (high - low) * _drawn("uniform", agent)


def normal(agent: Any, mean: float, deviation: float) -> float:
    """Return a random number of the normal distribution, from one drawn number.

    It is the quantile of the drawn number (M. J. Wichura, "Algorithm AS 241: The Percentage Points
    of the Normal Distribution", Applied Statistics 37, 1988), from 8.3 standard deviations below
    the mean to 8.3 above.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Npc:
    ...     height: float = 0.0
    >>> def grow(npc, world):
    ...     npc.height = normal(npc, 1.7, 0.1)
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Stand").add_action(CrowdAction(on_enter=grow))
    >>> crowd = Crowd(machine, 3, start="Stand", engine="python", seed=1)
    >>> crowd["height"].round(2).tolist()
    [1.7, 1.5, 1.72]
    """
    return mean + deviation * standard_normal(_drawn("normal", agent))


def exponential(agent: Any, mean: float) -> float:
    """Return a random number >= 0 of the exponential distribution, from one drawn number.

    It is the wait for something that happens every `mean` seconds on average: the quantile of the
    drawn number, `-mean * log(1 - drawn)`.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm
    >>> @define
    ... class Npc:
    ...     patience: float = 0.0
    >>> def wait(npc, world):
    ...     npc.patience = exponential(npc, 10.0)
    >>> machine = CrowdFsm("Npc", Npc)
    >>> _ = machine.add_state("Wait").add_action(CrowdAction(on_enter=wait))
    >>> crowd = Crowd(machine, 3, start="Wait", engine="python", seed=1)
    >>> crowd["patience"].round(2).tolist()
    [7.19, 0.24, 8.92]
    """
    return mean * standard_exponential(_drawn("exponential", agent))


def _drawn(function: str, agent: Any) -> float:
    try:
        draw_number = agent.next_random_number
    except AttributeError:
        advice = (
            "Draw in such a function, on_enter for example, into a field; an action of the library "
            "takes the name of the field. "
        )
        raise no_agent(function, agent, advice) from None
    return float(draw_number())


def standard_exponential(drawn: float) -> float:
    """Return the quantile of the exponential distribution with the mean 1, for 0 <= drawn < 1."""
    return 0.0 - math.log(1.0 - drawn)


def standard_normal(drawn: float) -> float:
    """Return the quantile of the standard normal distribution (AS 241), for 0 <= drawn < 1.

    >>> standard_normal(0.5), round(standard_normal(0.975), 6)
    (0.0, 1.959964)
    """
    q = drawn - 0.5
    if -0.425 <= q <= 0.425:
        r = 0.180625 - q * q
        return q * (
            (((((((r * 2509.0809287301226727
            + 33430.575583588128105) * r + 67265.770927008700853) * r
            + 45921.953931549871457) * r + 13731.693765509461125) * r
            + 1971.5909503065514427) * r + 133.14166789178437745) * r + 3.387132872796366608)
            / (((((((r * 5226.495278852545925
            + 28729.085735721942674) * r + 39307.89580009271061) * r
            + 21213.794301586595867) * r + 5394.1960214247511077) * r
            + 687.1870074920579083) * r + 42.313330701600911252) * r + 1.0)
        )  # fmt: skip
    tail = drawn if q < 0.0 else 1.0 - drawn
    if tail <= 0.0:
        tail = 5.551115123125783e-17  # half of the smallest number that is drawn
    r = math.sqrt(0.0 - math.log(tail))
    if r <= 5.0:
        r = r - 1.6
        x = (
            (((((((r * 7.7454501427834140764e-4
            + 0.0227238449892691845833) * r + 0.24178072517745061177) * r
            + 1.27045825245236838258) * r + 3.64784832476320460504) * r
            + 5.7694972214606914055) * r + 4.6303378461565452959) * r + 1.42343711074968357734)
            / (((((((r * 1.05075007164441684324e-9
            + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r
            + 0.14810397642748007459) * r + 0.68976733498510000455) * r
            + 1.6763848301838038494) * r + 2.05319162663775882187) * r + 1.0)
        )  # fmt: skip
    else:
        r = r - 5.0
        x = (
            (((((((r * 2.01033439929228813265e-7
            + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r
            + 0.026532189526576123093) * r + 0.29656057182850489123) * r
            + 1.7848265399172913358) * r + 5.4637849111641143699) * r + 6.6579046435011037772)
            / (((((((r * 2.04426310338993978564e-15
            + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r
            + 7.868691311456132591e-4) * r + 0.0148753612908506148525) * r
            + 0.13692988092273580531) * r + 0.59983220655588793769) * r + 1.0)
        )  # fmt: skip
    return 0.0 - x if q < 0.0 else x


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return four random 32-bit words.

    >>> [f"{word:08x}" for word in philox((0, 0, 0, 0), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    k, m = key
    for _ in range(ROUNDS):
        one, two = FIRST * a, SECOND * c
        a, b, c, d = (two >> 32) ^ b ^ k, two & WORD, (one >> 32) ^ d ^ m, one & WORD
        k, m = (k + FIRST_KEY) & WORD, (m + SECOND_KEY) & WORD
    return a, b, c, d


def draw(seed: int, agent: int, step: int, call: int) -> float:
    counter = (call & WORD, step & WORD, agent & WORD, (agent >> 32) & WORD)
    first, second, _, _ = philox(counter, (seed & WORD, (seed >> 32) & WORD))
    return ((first >> 5) * 67108864.0 + (second >> 6)) / 9007199254740992.0


def compiled() -> str:
    """Return the functions that compiled code calls, as text for a module, two lines apart."""
    quantiles = (
        f"@njit\n{getsource(function).strip()}".replace("def standard", "def ", 1)
        for function in (standard_normal, standard_exponential)
    )
    return "\n\n\n".join([DRAW.strip(), *quantiles])


DRAW: Final = f"""
@njit
def _draw(seed, agent, step, call):
    word = np.uint64({WORD:#x})
    half = np.uint64(32)
    a = np.uint64(call) & word
    b = np.uint64(step) & word
    c = np.uint64(agent) & word
    d = np.uint64(agent) >> half
    k = np.uint64(seed) & word
    m = np.uint64(seed) >> half
    for _ in range({ROUNDS}):
        one = np.uint64({FIRST:#x}) * a
        two = np.uint64({SECOND:#x}) * c
        a, b, c, d = (two >> half) ^ b ^ k, two & word, (one >> half) ^ d ^ m, one & word
        k = (k + np.uint64({FIRST_KEY:#x})) & word
        m = (m + np.uint64({SECOND_KEY:#x})) & word
    high, low = np.float64(a >> np.uint64(5)), np.float64(b >> np.uint64(6))
    return (high * 67108864.0 + low) / 9007199254740992.0
"""
"""`draw` again, as text for a compiled module."""
