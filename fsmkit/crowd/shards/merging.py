"""Merging: the errors and births of all shards as those of one crowd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from fsmkit.crowd.engine.report import MAX_SHOWN, Report
from fsmkit.crowd.shards.ranks import Ranks


def merge(whole: Report, ranks: Ranks, shards: Sequence[Mapping[int, Report]]) -> None:
    """Add the reports of all shards to that of a step, by their numbers, and by ranks.

    It becomes the report that one process would have made.
    """
    for number in sorted({number for reports in shards for number in reports}):
        found = [(k, reports[number]) for k, reports in enumerate(shards) if number in reports]
        whole.merge(_merged(ranks, found))


def _merged(ranks: Ranks, reports: Sequence[tuple[int, Report]]) -> Report:
    """Return one report for those of several shards; its agents are named by their ranks."""
    failures = [
        evolve(failure, agent=ranks.rank(shard, failure.agent))
        for shard, each in reports
        for failure in each.failures
    ]
    looping = [(ranks.rank(k, each.first_looping), each) for k, each in reports if each.loops]
    first, of_first = min(looping, key=lambda pair: pair[0]) if looping else (0, Report())
    return Report(
        failures=sorted(failures, key=lambda failure: failure.agent)[:MAX_SHOWN],
        failed=sum(each.failed for _, each in reports),
        loops=sum(each.loops for _, each in reports),
        first_looping=first,
        trail=of_first.trail,
        births=[births for _, each in reports for births in each.births],
    )
