"""Storage: a crowd in a file, and back."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fsmkit.crowd.errors import CrowdError, CrowdMismatchError
from fsmkit.crowd.packages import np
from fsmkit.recording.atomic_file import write_atomically

if TYPE_CHECKING:
    from fsmkit.crowd.crowd import Crowd
    from fsmkit.crowd.machine import CrowdFsm

FORMAT: Final = "fsmkit crowd"
VERSION: Final = 1


def save(crowd: Crowd, path: str | Path) -> None:
    """Write `crowd` to the file at `path`: columns, states, times, the world and the outline.

    Whatever happens meanwhile, there is the old file or the new one. Raises OSError if it cannot be
    written.
    """
    store = crowd._store
    heading = {
        "format": FORMAT,
        "version": VERSION,
        "outline": crowd.layout.outline(),
        "time": store.time,
        "step": store.step,
        "seed": store.seed,
        "next_id": store.next_id,
        "world": {
            name: getattr(crowd.world, name) for name in crowd.machine.world_record.kinds
        },
    }  # fmt: skip
    content = io.BytesIO()
    arrays = {f"column {name}": array for name, array in store.arrays().items()}
    np.savez(content, heading=np.array(json.dumps(heading)), **arrays)
    write_atomically(path, content.getvalue())


def load(kind: type[Crowd], machine: CrowdFsm, path: str | Path, options: dict[str, Any]) -> Crowd:
    """The crowd in the file at `path`. No code in it is run.

    Raises CrowdMismatchError if `machine` is built otherwise than the one it was saved from,
    CrowdError if the file is no crowd or damaged, OSError if it cannot be read.
    """
    heading, arrays = _read(Path(path))
    size = len(arrays["state"])
    floats = {str(each.dtype) for each in arrays.values() if each.dtype.kind == "f"}
    options = {"dtype": "float32" if "float32" in floats else "float64", **options}
    crowd = kind(machine, size, seed=heading["seed"], **options)
    if differences := _differences(heading["outline"], crowd.layout.outline()):
        raise CrowdMismatchError(
            f"{str(path)!r} does not fit {machine.name!r}: {'; '.join(differences)}. "
            "Load it for a machine that is built like the one it was saved from."
        )
    store = crowd._store
    expected = {name: array.dtype for name, array in store.arrays().items()}
    for name, dtype in expected.items():
        if name not in arrays or arrays[name].shape != (size,) or arrays[name].dtype != dtype:
            raise CrowdError(
                f"{str(path)!r} is damaged: the column {name!r} is not as it should be."
            )
    store.take({name: np.ascontiguousarray(arrays[name]) for name in expected})
    store.time, store.step, store.next_id = heading["time"], heading["step"], heading["next_id"]
    for name, value in heading["world"].items():
        setattr(crowd.world, name, value)
    return crowd


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    content = io.BytesIO(path.read_bytes())
    try:
        with np.load(content, allow_pickle=False) as file:
            heading = json.loads(str(file["heading"]))
            arrays = {
                name.removeprefix("column "): file[name] for name in file.files if name != "heading"
            }
        if heading["format"] != FORMAT or "state" not in arrays:
            raise ValueError("its heading is that of something else")
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise CrowdError(f"{str(path)!r} is no crowd, or damaged: {error}.") from error
    if heading["version"] != VERSION:
        raise CrowdError(
            f"{str(path)!r} is a crowd of version {heading['version']}; this fsmkit reads version "
            f"{VERSION}. Use the fsmkit that it was made with."
        )
    return heading, arrays


def _differences(saved: dict[str, Any], built: Any) -> list[str]:
    """What is not the same, a sentence for each."""
    found: list[str] = []
    for what, there, here in (
        ("columns", saved["agent"], built["agent"]),
        ("states", saved["states"], built["states"]),
        ("global transitions", saved["global"], built["global"]),
        ("values of the world", saved["world"], built["world"]),
    ):
        missing, more = [n for n in there if n not in here], [n for n in here if n not in there]
        changed = [name for name in there if name in here and there[name] != here[name]]
        if missing:
            found.append(f"the {what} {', '.join(missing)} are only in the file")
        if more:
            found.append(f"the {what} {', '.join(more)} are only in the machine")
        if changed:
            found.append(f"the {what} {', '.join(changed)} are others")
    if not found and list(saved["states"]) != list(built["states"]):
        found.append("the states are in another order")
    return found
