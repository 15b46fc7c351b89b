"""Random numbers of agents: each depends only on the seed, the agent, the step and the call.

So neither the order of the agents nor the number of threads changes anything. The generator is
Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy
as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from typing import Any, Final

WORD: Final = 0xFFFFFFFF
FIRST: Final = 0xD2511F53
SECOND: Final = 0xCD9E8D57
FIRST_KEY: Final = 0x9E3779B9
SECOND_KEY: Final = 0xBB67AE85
ROUNDS: Final = 10


def random(agent: Any) -> float:
    """Return a random number >= 0 and < 1, with 53 bits.

    For the functions of a crowd's actions, with the `agent` that they get.
    """
    number: float = agent.next_random_number()
    return number


def uniform(agent: Any, low: float, high: float) -> float:
    """Return a random number from `low` to `high`."""
    return low + (high - low) * random(agent)


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
    """Return the random number of one call."""
    counter = (call & WORD, step & WORD, agent & WORD, (agent >> 32) & WORD)
    first, second, _, _ = philox(counter, (seed & WORD, (seed >> 32) & WORD))
    return ((first >> 5) * 67108864.0 + (second >> 6)) / 9007199254740992.0


COMPILED: Final = f"""
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
