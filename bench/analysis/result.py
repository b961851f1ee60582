"""A result folder, read and checked. A number that cannot be traced to its workload, or that the requests do not bear out, is
refused here, so that nothing behind this file has to ask again.
"""

import gzip
import hashlib
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
SUMS = (("tokens_in", "prompt_tokens"), ("tokens_cached", "cached_tokens"))


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
        """Who answered is said apart from the spec, which is the same on every target; older results have the spec's alone."""
        spec = self.document["spec"]
        planned = spec.get("target", {}).get("kind") if isinstance(spec, dict) else None
        return (self.document.get("target") or {}).get("kind", planned) == "sim"

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
    threads = f", {host['threads_online']} threads" if host.get("threads_online") else ""
    return f"{host.get('cpu') or 'unknown machine'}{threads}"


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


def read_lines(path: Path) -> str:
    """Committed results keep their requests and steps gzipped."""
    if path.exists():
        return _read(path)
    zipped = path.with_name(path.name + ".gz")
    if not zipped.exists():
        raise Refused(f"{path}: no such file")
    try:
        return gzip.decompress(zipped.read_bytes()).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise Refused(f"{zipped}: {error}") from None


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


def check_spec_hash(document: dict, text: str, where: str) -> None:
    """The hash is of the spec's canonical JSON, which the client writes as it is; other tools may have written the file anew."""
    start = text.find('"spec":{') + len('"spec":')
    written = text[start:json.JSONDecoder().raw_decode(text, start)[1]] if text[start:start + 1] == "{" else ""
    again = json.dumps(document["spec"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if document["spec_sha256"] not in {hashlib.sha256(form.encode()).hexdigest() for form in (written, again)}:
        raise Refused(f"{where}: spec_sha256 is not the hash of the spec")


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
        if request["status"] in figures.GOOD and request["output_tokens"] is not None and stamped != request["output_tokens"]:
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
    found["tokens_out"] = sum(figures.output_tokens(request) for request in requests)
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


def check_aggregates(found: "Result", where: str) -> None:
    """Rates are means over the parts; goodput is a count."""
    said = found.document.get("throughput") or {}
    ours = [figures.rates(part.everything, part.window) for part in found.parts]
    for name in ours[0]:
        mean = sum(rates[name] for rates in ours) / len(ours)
        if name in said and not math.isclose(said[name], mean, rel_tol=RELATIVE, abs_tol=1e-9):
            raise Refused(f"{where}: throughput.{name} is {said[name]}, the requests give {mean:.9g}")
    goodput, spec = found.document.get("goodput") or {}, found.document["spec"]
    if "good" in goodput and isinstance(spec, dict):
        n_good = int(figures.meets(found.requests, spec.get("slo") or []).sum())
        if goodput["good"] != n_good:
            raise Refused(f"{where}: goodput.good is {goodput['good']}, the requests have {n_good}")


def published_figure(said: dict, label: str | float) -> float | None:
    """A member of a distribution of the client; of a percentile the linear one."""
    if isinstance(label, str):
        return said.get(label)
    point = (said.get("percentiles") or {}).get(f"p{label:g}") or {}
    return point.get("linear")


def steady_window(document: dict, requests: list[dict]) -> tuple[int, int]:
    """What figures are of: the window that the client chose, or all of the run."""
    chosen = (document.get("windows") or {}).get("steady") or {}
    if chosen.get("a_ns") is not None and chosen.get("b_ns") is not None:
        return int(chosen["a_ns"]), int(chosen["b_ns"])
    return min(r["intended_ns"] for r in requests), max(r["end_ns"] or r["intended_ns"] for r in requests) + 1


def parts_of(document: dict, everything: list[dict]) -> list[Part]:
    """A part's window is what its load fills of the steady one: from when it began to when it ended, as the client says, or by its
    requests."""
    a, b = steady_window(document, everything)
    loads = {(load["arm"] or "", load["repetition"]): (load["began_ns"], load["ended_ns"])
             for load in document.get("repetitions") or []}
    groups: dict[tuple[str, int], list[dict]] = {}
    for request in everything:
        groups.setdefault((request["arm"] or "", request["repetition"] or 0), []).append(request)
    parts = []
    for key, requests in sorted(groups.items()):
        offered = [r["intended_ns"] for r in requests if not r["warmup"]] or [a]
        began, ended = loads.get(key) or (min(offered), max([r["end_ns"] or 0 for r in requests] + offered) + 1)
        window = max(a, began), max(max(a, began) + 1, min(b, ended))
        parts.append(Part(*key, requests, [r for r in requests if not r["warmup"] and a <= r["intended_ns"] < b], window))
    return parts


def load(folder: Path) -> Result:
    """Reads and checks a folder; raises Refused."""
    folder = Path(folder)
    where = str(folder / "result.json")
    text = _read(folder / "result.json")
    document = _json(text, where)
    check_header(document, where)
    check_spec_hash(document, text, where)
    everything = read_requests(read_lines(folder / "requests.jsonl"), str(folder / "requests.jsonl"))
    if not everything:
        raise Refused(f"{folder / 'requests.jsonl'}: no requests")
    found = Result(folder, document, parts_of(document, everything))
    check_counts(document["counts"], found.requests, where)
    check_metrics(document["metrics"], found.requests, where)
    check_aggregates(found, where)
    return found


def folders_under(folder: Path) -> list[Path]:
    """The folder itself, or those inside that hold a result, in order of their names."""
    folder = Path(folder)
    if (folder / "result.json").is_file():
        return [folder]
    return sorted(path.parent for path in folder.rglob("result.json"))
