"""The table and the JSON file of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measuring import WORKLOADS, Workload
from results import Entry, Results, Series

MISSING = "-"


def table(results: Results) -> str:
    """Return the results in Markdown."""
    where = results.environment
    machine = f"{where['python']}, {where['cpu']} ({where['cores']} cores, {where['system']})"
    lines = [
        f"{machine}, {where['date']}, {results.rounds} rounds",
        "",
        *aligned([heading(), *(row(entry) for entry in results.entries)]),
        "",
        *own_table(results.entries),
        "In brackets: times the hand-written contestant, median of the ratios within a round.",
        *(f"- {work.title}: {work.operation}" for work in WORKLOADS.values()),
        "- bytes: one of these machines when built, and when started; without what they share",
        "- import: what it adds to the start of an interpreter",
    ]
    lines += [f"- {entry.name} {entry.remark}" for entry in results.entries if entry.remark]
    lines += [f"- left out: {name} ({reason})" for name, reason in results.left_out.items()]
    return "\n".join(lines)


def heading() -> list[str]:
    titles = [work.title for work in workloads(is_for_all=True).values()]
    return ["contestant", "version", *titles, "bytes built", "bytes started", "import"]


def workloads(*, is_for_all: bool) -> dict[str, Workload]:
    return {name: work for name, work in WORKLOADS.items() if work.is_for_all is is_for_all}


def row(entry: Entry) -> list[str]:
    return [
        entry.name,
        entry.version or MISSING,
        *(time_cell(entry.series.get(name)) for name in workloads(is_for_all=True)),
        f"{entry.memory.built:,.0f}" if entry.memory else MISSING,
        f"{entry.memory.started:,.0f}" if entry.memory else MISSING,
        f"{entry.imports.difference * 1e3:.0f} ms" if entry.imports else MISSING,
    ]


def own_table(entries: Sequence[Entry]) -> list[str]:
    """Return the table of what is not measured with the other packages; nothing if empty."""
    own = workloads(is_for_all=False)
    rows = [
        [entry.name, *(time_cell(entry.series.get(name)) for name in own)]
        for entry in entries
        if not own.keys().isdisjoint(entry.series)
    ]
    titles = ["contestant", *(work.title for work in own.values())]
    return [*aligned([titles, *rows]), ""] if rows else []


def time_cell(series: Series | None) -> str:
    if series is None:
        return MISSING
    time = microseconds(series.per_operation)
    return time if series.ratio is None else f"{time} ({significant(series.ratio)})"


def microseconds(seconds: float) -> str:
    return f"{significant(seconds * 1e6)} µs"


def significant(number: float) -> str:
    """Write small numbers with two decimals, larger ones with one, large ones with none."""
    decimals = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{decimals}f}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a Markdown table whose columns also line up as plain text; figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    first, *others = rows
    return [line(cells, widths) for cells in (first, rule, *others)]


def line(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, *figures = cells
    padded = [name.ljust(widths[0])]
    padded += [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
    return "| " + " | ".join(padded) + " |"


def write_json(results: Results, file: Path) -> None:
    """Write every figure, the raw ones and those of the table."""
    content = asdict(results)
    content["entries"] = [entry_content(entry) for entry in results.entries]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def entry_content(entry: Entry) -> dict[str, Any]:
    content = asdict(entry)
    content["memory"] = entry.memory._asdict() if entry.memory else None
    for name, series in entry.series.items():
        content["series"][name] |= {"per_operation": series.per_operation, "ratio": series.ratio}
    if entry.imports:
        content["imports"]["difference"] = entry.imports.difference
    return content
