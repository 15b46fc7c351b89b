"""Findings as a JSON array, for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import asdict

from fsmkit.checking import Finding
from fsmkit.cli.checked import CheckedTarget
from fsmkit.tooling.code_place import shown_path


def json_of(checked: Sequence[CheckedTarget]) -> str:
    """Return an array with an object for each finding."""
    found = [_object(target.name, finding) for target in checked for finding in target.findings]
    return json.dumps(found, indent=2, default=repr)


def _object(target: str, finding: Finding) -> dict[str, Any]:
    fields = asdict(finding)
    if finding.place.file is not None:
        fields["place"]["file"] = shown_path(finding.place.file)
    return {"target": target, **fields}
