"""A result folder, read and checked. A number that cannot be traced to its workload, or that the requests do not bear out, is
refused here, so that nothing behind this file has to ask again.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from bench.analysis import distribution, figures

SCHEMA = "mie.result/1"
OBJECTS = ("run_id", "spec", "spec_sha256", "expanded_sha256", "host", "counts", "metrics", "validity")
REQUEST_FIELDS = (
    "id", "index", "arm", "repetition", "warmup", "seed", "session", "turn", "status", "http_status", "finish_reason",
    "prompt_tokens", "cached_tokens", "output_tokens", "requested_output", "intended_ns", "send_ns", "sent_ns", "status_ns",
    "first_event_ns", "events", "end_ns", "connection", "bytes_in", "bytes_out", "coalesced", "error", "retry_after_s",
    "token_hash")
STATUSES = (
    "ok", "truncated_by_length", "rejected_429", "rejected_503", "http_4xx", "http_5xx", "connect_error", "reset",
    "client_timeout", "deadline_server", "cancelled_by_client", "stream_error", "stream_truncated", "bad_json", "bad_content",
    "count_mismatch", "wrong_answer", "not_sent")
STATES = ("ok", "partial", "client_bound", "not_steady", "mismatch", "disturbed")
MS_PER_PUBLISHED = 1000.0  # the client writes seconds
RELATIVE = 1e-6  # between figures of the client and ours: both are exact up to the digits that were written
SUMS = (("tokens_in", "prompt_tokens"), ("tokens_out", "output_tokens"), ("tokens_cached", "cached_tokens"))


class Refused(Exception):
    """Why a result prints no number; one line for the user."""


@dataclass(frozen=True)
class Part:
    """One repetition of one arm."""

    arm: str
    repetition: int
    everything: list[dict]  # all that was sent: load of others, warm-up included
    requests: list[dict]  # those that figures are of: offered in the steady window, warm-up excluded
    window: tuple[int, int]  # [a, b) in ns


@dataclass(frozen=True)
class Result:
    folder: Path
    document: dict
    parts: list[Part]

    @property
    def everything(self) -> list[dict]:
        return [request for part in self.parts for request in part.everything]

    @property
    def requests(self) -> list[dict]:
        return [request for part in self.parts for request in part.requests]

    @property
    def window(self) -> tuple[int, int]:
        """From the first part's to the last one's."""
        return min(part.window[0] for part in self.parts), max(part.window[1] for part in self.parts)

    @property
    def run_id(self) -> str:
        return self.document["run_id"]

    @property
    def name(self) -> str:
        spec = self.document["spec"]
        return spec.get("name", self.folder.name) if isinstance(spec, dict) else self.folder.name

    @property
    def spec_sha256(self) -> str:
        return self.document["spec_sha256"]

    @property
    def simulated(self) -> bool:
        spec = self.document["spec"]
        return isinstance(spec, dict) and spec.get("target", {}).get("kind") == "sim"

    @property
    def label(self) -> str:
        return f"{self.name} (sim)" if self.simulated else self.name

    @property
    def state(self) -> str:
        return self.document["validity"]["state"]

    @property
    def machine(self) -> str:
        return machine_of(self.document)

    @property
    def arms(self) -> list[str]:
        """In the order of the spec, so that the first is what others are compared with."""
        spec = self.document["spec"]
        order = [arm.get("name") for arm in spec.get("arms") or []] if isinstance(spec, dict) else []
        return sorted({part.arm for part in self.parts}, key=lambda arm: (order.index(arm) if arm in order else len(order), arm))

    def of_arm(self, arm: str) -> "Result":
        return replace(self, parts=[part for part in self.parts if part.arm == arm])


def machine_of(document: dict) -> str:
    host = document.get("host") or {}
    cpu = host.get("cpu")
    model = cpu.get("model") if isinstance(cpu, dict) else cpu or host.get("cpu_model")
    cores = host.get("cores") or (cpu.get("cores") if isinstance(cpu, dict) else None)
    return f"{model or 'unknown machine'}, {cores} cores" if cores else str(model or "unknown machine")


def _json(text: str, where: str):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused(f"{where}: not JSON: {error}") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {error}") from None


def check_header(document: dict, where: str) -> None:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Refused(f"{where}: schema is not {SCHEMA}")
    for name in OBJECTS:
        if document.get(name) in (None, ""):
            raise Refused(f"{where}: no {name}; no number without its workload")
    for name in ("spec_sha256", "expanded_sha256"):
        if not re.fullmatch(r"[0-9a-f]{64}", str(document[name])):
            raise Refused(f"{where}: {name} is not a SHA-256")
    if document["validity"].get("state") not in STATES:
        raise Refused(f"{where}: validity.state is {document['validity'].get('state')!r}")


def read_requests(text: str, where: str) -> list[dict]:
    requests = []
    for number, line in enumerate(text.splitlines(), 1):
        request = _json(line, f"{where}:{number}")
        missing = [field for field in REQUEST_FIELDS if field not in request]
        if missing:
            raise Refused(f"{where}:{number}: no {', '.join(missing)}")
        if request["status"] not in STATUSES:
            raise Refused(f"{where}:{number}: status {request['status']!r} does not exist")
        stamped = sum(tokens for _, tokens in request["events"] or ())
        if request["status"] in figures.GOOD and stamped != request["output_tokens"]:
            raise Refused(f"{where}:{number}: {stamped} tokens in events, {request['output_tokens']} of usage")
        requests.append(request)
    ids = Counter((request["arm"], request["repetition"], request["id"]) for request in requests)
    if ids and ids.most_common(1)[0][1] > 1:
        raise Refused(f"{where}: request {ids.most_common(1)[0][0][2]} is there twice")
    return requests


def check_counts(counts: dict, requests: list[dict], where: str) -> None:
    """The client's counts are of the requests offered in the steady window, warm-up excluded."""
    seen = Counter(request["status"] for request in requests)
    said = {status: n for status, n in (counts.get("by_status") or {}).items() if n}
    if said != dict(seen):
        raise Refused(f"{where}: counts.by_status is {said}, the requests have {dict(seen)}")
    found = {"offered": len(requests), "sent": sum(request["send_ns"] is not None for request in requests)}
    found |= {name: sum(request[field] or 0 for request in requests) for name, field in SUMS}
    for name, value in found.items():
        if counts.get(name) != value:
            raise Refused(f"{where}: counts.{name} is {counts.get(name)}, the requests have {value}")


def check_metrics(metrics: dict, requests: list[dict], where: str) -> None:
    """Every distribution that both sides know must have the same n, mean and percentiles."""
    ours = figures.ok_view(requests)
    for name, published in metrics.items():
        said = (published or {}).get("ok")
        if name not in ours or not said:
            continue
        values = ours[name].defined
        if said.get("n") != values.size:
            raise Refused(f"{where}: metrics.{name}.ok.n is {said.get('n')}, the requests have {values.size}")
        found = {"mean": values.mean(), "min": values.min(), "max": values.max()} if values.size else {}
        found |= {p: distribution.linear(values, p) for p in distribution.PERCENTILES if not distribution.withheld(values.size, p)}
        for label, value in found.items():
            number = published_figure(said, label)
            if number is None or not math.isclose(number * MS_PER_PUBLISHED, value, rel_tol=RELATIVE, abs_tol=1e-6):
                raise Refused(f"{where}: metrics.{name}.ok.{label} is {number} s, the requests give {value / 1000:.9g}")


def published_figure(said: dict, label: str | float) -> float | None:
    """A member of a distribution of the client; of a percentile the linear one."""
    if isinstance(label, str):
        return said.get(label)
    point = (said.get("percentiles") or {}).get(f"p{label:g}") or {}
    return point.get("linear")


def windows_of(document: dict, groups: dict[tuple[str, int], list[dict]], where: str) -> dict[tuple[str, int], tuple[int, int]]:
    """The steady windows that the client chose: one a part, or one that is cut to the time of each part; without any, that time."""
    chosen = (document.get("windows") or {}).get("steady")
    spans = {}
    for key, requests in groups.items():
        offered = [r["intended_ns"] for r in requests if not r["warmup"]] or [0]
        spans[key] = min(offered), max([r["end_ns"] or 0 for r in requests] + offered) + 1
    if isinstance(chosen, list):
        given = {(w.get("arm") or "", w.get("repetition") or 0): (int(w["a_ns"]), int(w["b_ns"])) for w in chosen}
        if missing := groups.keys() - given.keys():
            raise Refused(f"{where}: no steady window of {sorted(missing)[0]}")
        return {key: given[key] for key in groups}
    if not isinstance(chosen, dict) or chosen.get("a_ns") is None or chosen.get("b_ns") is None:
        return spans
    a, b = int(chosen["a_ns"]), int(chosen["b_ns"])
    if len(groups) == 1:
        return dict.fromkeys(groups, (a, b))
    return {key: (max(a, first), max(max(a, first) + 1, min(b, last))) for key, (first, last) in spans.items()}


def parts_of(document: dict, everything: list[dict], where: str) -> list[Part]:
    groups: dict[tuple[str, int], list[dict]] = {}
    for request in everything:
        groups.setdefault((request["arm"] or "", request["repetition"] or 0), []).append(request)
    windows = windows_of(document, groups, where)
    parts = []
    for key in sorted(groups):
        a, b = windows[key]
        measured = [r for r in groups[key] if not r["warmup"] and a <= r["intended_ns"] < b]
        parts.append(Part(*key, groups[key], measured, (a, b)))
    return parts


def load(folder: Path) -> Result:
    """Reads and checks a folder; raises Refused."""
    folder = Path(folder)
    where = str(folder / "result.json")
    document = _json(_read(folder / "result.json"), where)
    check_header(document, where)
    everything = read_requests(_read(folder / "requests.jsonl"), str(folder / "requests.jsonl"))
    if not everything:
        raise Refused(f"{folder / 'requests.jsonl'}: no requests")
    found = Result(folder, document, parts_of(document, everything, where))
    check_counts(document["counts"], found.requests, where)
    check_metrics(document["metrics"], found.requests, where)
    return found


def folders_under(folder: Path) -> list[Path]:
    """The folder itself, or those inside that hold a result, in order of their names."""
    folder = Path(folder)
    if (folder / "result.json").is_file():
        return [folder]
    return sorted(path.parent for path in folder.rglob("result.json"))
