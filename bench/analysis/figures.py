"""Figures of requests, as benchmarks define them: one array a metric, in milliseconds where it is a time.

Stamps are nanoseconds in 64-bit integers, so that differences are exact before they become floating point.
"""

from dataclasses import dataclass

import numpy as np

GOOD = ("ok", "truncated_by_length")
NS_PER_MS = 1e6
STALL_FLOOR_MS = 200.0  # a gap is a stall over this and over STALL_FACTOR times the request's median gap
STALL_FACTOR = 5.0
PER_REQUEST = ("lateness", "ttft", "ttft_intended", "ttst", "e2el", "e2el_intended", "tpot", "normalized", "stall", "stall_count")
PER_TOKEN = ("itl", "event_gap")
CENSORED = ("ttft", "ttft_intended", "e2el", "e2el_intended")


@dataclass(frozen=True)
class Sample:
    """Values with the request that each comes from; NaN where a request has no such figure."""

    values: np.ndarray
    owner: np.ndarray  # index into the requests

    @property
    def defined(self) -> np.ndarray:
        return self.values[~np.isnan(self.values)]

    @property
    def n_undefined(self) -> int:
        return int(np.isnan(self.values).sum())

    def kept(self) -> "Sample":
        there = ~np.isnan(self.values)
        return Sample(self.values[there], self.owner[there])


def _gap_ms(later: int | None, earlier: int | None) -> float:
    return np.nan if later is None or earlier is None else (later - earlier) / NS_PER_MS


def token_stamps(request: dict) -> np.ndarray:
    """Stamp of each token: that of the event which carries it."""
    events = np.array(request["events"] or [], dtype=np.int64).reshape(-1, 2)
    return np.repeat(events[:, 0], events[:, 1])


def token_events(request: dict) -> np.ndarray:
    """[n_events, 2]: stamp and tokens of the events that carry tokens."""
    events = np.array(request["events"] or [], dtype=np.int64).reshape(-1, 2)
    return events[events[:, 1] > 0]


def output_tokens(request: dict) -> int:
    """Of usage; counted from the events where there is no usage."""
    return request["output_tokens"] or int(sum(tokens for _, tokens in request["events"] or ()))


def of_request(request: dict) -> dict[str, float]:
    stamps = token_stamps(request)
    n = output_tokens(request)
    first = int(stamps[0]) if stamps.size else None
    gaps = np.diff(token_events(request)[:, 0]) / NS_PER_MS
    stalled = gaps[gaps > STALL_FLOOR_MS]
    if stalled.size:
        stalled = gaps[gaps > max(STALL_FLOOR_MS, STALL_FACTOR * float(np.median(gaps)))]
    e2el = _gap_ms(request["end_ns"], request["send_ns"])
    return {
        "lateness": _gap_ms(request["send_ns"], request["intended_ns"]),
        "ttft": _gap_ms(first, request["send_ns"]),
        "ttft_intended": _gap_ms(first, request["intended_ns"]),
        "ttst": _gap_ms(int(stamps[1]), first) if stamps.size > 1 else np.nan,
        "e2el": e2el,
        "e2el_intended": _gap_ms(request["end_ns"], request["intended_ns"]),
        "tpot": _gap_ms(int(stamps[-1]), first) / (n - 1) if stamps.size and n > 1 else np.nan,
        "normalized": e2el / n if n else np.nan,
        "stall": float(stalled.sum()),
        "stall_count": float(stalled.size),
    }


def itl_of(request: dict) -> np.ndarray:
    """Gap to the previous token event, shared among the tokens of this one: one value a token, none for the first event's."""
    events = token_events(request)
    gaps = np.diff(events[:, 0]) / NS_PER_MS
    tokens = events[1:, 1]
    return np.repeat(gaps / tokens, tokens)


def event_gaps_of(request: dict) -> np.ndarray:
    return np.diff(token_events(request)[:, 0]) / NS_PER_MS


def _pooled(parts: list[np.ndarray]) -> Sample:
    sizes = [part.size for part in parts]
    values = np.concatenate(parts) if parts else np.empty(0)
    return Sample(values, np.repeat(np.arange(len(parts)), sizes))


def samples(requests: list[dict]) -> dict[str, Sample]:
    """Every metric over these requests, whatever their status."""
    rows = [of_request(request) for request in requests]
    owner = np.arange(len(requests))
    found = {name: Sample(np.array([row[name] for row in rows], dtype=float), owner) for name in PER_REQUEST}
    return found | {name: sample(requests, name) for name in PER_TOKEN}


def sample(requests: list[dict], metric: str) -> Sample:
    """One metric of them."""
    if metric in PER_TOKEN:
        of = itl_of if metric == "itl" else event_gaps_of
        return _pooled([of(request) for request in requests])
    return Sample(np.array([of_request(request)[metric] for request in requests], dtype=float), np.arange(len(requests)))


def good(requests: list[dict]) -> list[dict]:
    return [request for request in requests if request["status"] in GOOD]


def ok_view(requests: list[dict]) -> dict[str, Sample]:
    return samples(good(requests))


def censored(requests: list[dict], metric: str, limit_ms: float | None) -> np.ndarray:
    """The view over all requests: a failed one counts as long as the limit it had, or as until the run's end where it had none.
    So no figure improves because requests fail. One whose client went away on purpose did not fail and is in no view."""
    values = samples(good(requests))[metric].defined
    if metric not in CENSORED:
        return values
    start = "intended_ns" if metric.endswith("_intended") else "send_ns"
    run_end = max((request["end_ns"] or 0 for request in requests), default=0)
    failed = [request for request in requests if request["status"] not in (*GOOD, "cancelled_by_client")]
    begins = [request["intended_ns"] if request[start] is None else request[start] for request in failed]
    waits = [(run_end - begin) / NS_PER_MS if limit_ms is None else limit_ms for begin in begins]
    return np.concatenate([values, np.array(waits, dtype=float)])


def repetitions(requests: list[dict]) -> np.ndarray:
    return np.array([request["repetition"] or 0 for request in requests], dtype=int)


def meets(requests: list[dict], slo: list[dict]) -> np.ndarray:
    """Which requests are good and meet every objective; one that lacks the metric fails it."""
    found = {name: sample(requests, name) for name in {objective["metric"] for objective in slo}}
    kept = np.array([request["status"] in GOOD for request in requests], dtype=bool)
    below = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater}
    for objective in slo:
        values = _worst(found[objective["metric"]], len(requests), objective["op"])
        with np.errstate(invalid="ignore"):
            kept &= below[objective["op"]](values, objective["value_ms"]) & ~np.isnan(values)
    return kept


def _worst(sample: Sample, n_requests: int, op: str) -> np.ndarray:
    """One value a request: the one that fails first, where a request has several."""
    worst = np.full(n_requests, np.nan)
    (np.fmax if op.startswith("<") else np.fmin).at(worst, sample.owner, sample.values)
    return worst


def rates(requests: list[dict], window: tuple[int, int]) -> dict[str, float]:
    """Completions and stamped output tokens a second inside the half-open window [a, b), in ns."""
    a, b = window
    seconds = (b - a) / 1e9
    done = good(requests)
    stamps = np.concatenate([token_stamps(r) for r in requests]) if requests else np.empty(0, dtype=np.int64)
    firsts = [(token_stamps(r)[0], r) for r in requests if token_stamps(r).size]
    prompt = sum(r["prompt_tokens"] or 0 for at, r in firsts if a <= at < b)
    return {"requests_per_s": sum(a <= r["end_ns"] < b for r in done if r["end_ns"] is not None) / seconds,
            "output_tokens_per_s": float(((stamps >= a) & (stamps < b)).sum()) / seconds,
            "input_tokens_per_s": prompt / seconds}
