"""What a campaign measured and could not use: void.json of a section, so that its page can say what it was selected from. A list of
{name, state, reasons}, one for each result that was void and measured again. Needs no library: the peers' programs write it too.
"""

import json
from collections import Counter
from pathlib import Path

FILE = "void.json"


def read(folder: Path) -> list[dict]:
    """Raises ValueError for a file that is not such a list."""
    file = folder / FILE
    found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    if not isinstance(found, list) or not all(isinstance(one, dict) and {"name", "state"} <= one.keys() for one in found):
        raise ValueError("not a list of void results")
    return found


def note(folder: Path, document: dict) -> None:
    """`document`: the result that goes."""
    noted = [*read(folder), {"name": document["spec"]["name"], **document["validity"]}]
    (folder / FILE).write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")


def sentence(noted: list[dict]) -> str:
    of = [f"{n} of {name} ({state})" for (name, state), n in Counter((one["name"], one["state"]) for one in noted).items()]
    return f"Void, measured again and not kept: {', '.join(of)}."
