"""knee.json: the loads, the three knees, overload and the sentence, as members of one tree (schema mie.knee/1)."""

import math

import numpy as np

from bench.analysis import claims, distribution, figures, intervals, saturation, summaries, sweep
from bench.analysis.intervals import Interval, Settings
from bench.analysis.knee.runner import Done
from bench.analysis.knee.search import Found, Measured, error_of_rate
from bench.analysis.result import Result
from bench.analysis.saturation import Knee

SCHEMA = "mie.knee/1"
QUICK = Settings(resamples=2000)
OF_USERS = 0.9  # share of requests that the sentence speaks of
WANTED = {1.5: 0.9, 3.0: 0.9, 10.0: 0.8}  # goodput in overload over its peak
REFUSED = ("rejected_429", "rejected_503")


def finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def band(found: Interval) -> dict:
    return {"value": finite(found.estimate), "low": finite(found.low), "high": finite(found.high)}


def percentiles(values: np.ndarray) -> dict:
    """Withheld ones are null, beside how many values they need."""
    found = {}
    for p in (50.0, 95.0, 99.0):
        few = distribution.withheld(values.size, p)
        found[f"p{p:g}"] = {"value": None, "needed": distribution.needed(p)} if few else band(intervals.quantile(values, p / 100))
    return found


def goodput(counted: Result) -> dict:
    share = summaries.goodput(counted)
    seconds = sum((part.window[1] - part.window[0]) / 1e9 for part in counted.parts)
    offered = len(counted.requests) / seconds
    return {"share": band(share), "rate": {name: finite(value * offered) for name, value in (
        ("value", share.estimate), ("low", share.low), ("high", share.high))}}


def peak_resident(found: Result) -> int | None:
    arms = (found.document.get("server") or {}).get("arms") or []
    return max((arm.get("peak_resident_bytes") or 0 for arm in arms), default=0) or None


def load_row(measured: Measured, target: float) -> dict:
    load, counted, point = measured.load, measured.counted, measured.point
    good = figures.good(counted.requests)
    statuses = [request["status"] for request in counted.requests]
    return {
        "kind": load.kind, "label": load.label, "run_id": counted.run_id, "spec_sha256": counted.spec_sha256, "seconds": load.seconds,
        "rate": finite(point.rate), "concurrency": int(load.at) if load.kind == "closed" else None, "in_flight": point.in_flight,
        "n": point.n, "n_good": point.n_good, "verdict": claims.verdict(point.n_good, point.n, target),
        "throughput": band(summaries.rate(counted, "requests_per_s", QUICK)),
        "output_tokens_per_s": band(summaries.rate(counted, "output_tokens_per_s", QUICK)), "goodput": goodput(counted),
        "ttft_ms": percentiles(figures.sample(good, "ttft_intended").defined), "tpot_ms": percentiles(figures.sample(good, "tpot").defined),
        "peak_resident_bytes": peak_resident(counted), "over_saturated": point.over_saturated,
        "by_status": {status: statuses.count(status) for status in sorted(set(statuses))}, "voids": len(measured.done.voids)}


def knee_row(knee: Knee) -> dict:
    return {"value": finite(knee.value), "low": finite(knee.low), "high": finite(knee.high), "unit": knee.unit}


def knees(found: Found) -> dict:
    points = sorted((m for m in found.closed), key=lambda m: m.point.in_flight)
    curve, in_flight = saturation.curve_interval([m.point for m in points], [error_of_rate(m.counted) for m in points])
    at = saturation.kneedle(np.array([m.point.in_flight for m in points]), np.array([m.point.throughput for m in points]))
    all_ = {"slo": found.slo_knee, "curve": curve, "queue": found.queue_knee}
    return {name: knee_row(knee) for name, knee in all_.items()} | {
        "curve_in_flight": {"value": finite(at), "low": finite(in_flight[0]), "high": finite(in_flight[1])},
        "why_they_differ": saturation.disagreement(all_)}


def law(found: Found) -> dict | None:
    """The Universal Scalability Law through the closed loops."""
    points = [m.point for m in found.closed]
    fit = saturation.fit_usl(np.array([p.in_flight for p in points]), np.array([p.throughput for p in points]))
    if fit is None:
        return None
    values = {"rate": fit.rate, "sigma": fit.sigma, "kappa": fit.kappa, "best_in_flight": fit.best_n}
    return {name: {"value": finite(v), "low": finite(a), "high": finite(b)} for name, (v, a, b) in values.items()} | {
        "residual": fit.residual}


def overload_row(measured: Measured, peak: float) -> dict:
    """Those that were refused must say when to come again."""
    good = goodput(measured.counted)["rate"]
    refused = [r for r in measured.counted.requests if r["status"] in REFUSED]
    wanted = WANTED.get(measured.load.at, 0.8)
    share = {name: None if good[name] is None else good[name] / peak for name in good}
    return {"factor": measured.load.at, "rate": measured.point.rate, "goodput": good, "share_of_peak": share, "wanted": wanted,
            "kept": share["value"] is not None and share["value"] >= wanted, "refused": len(refused),
            "refused_with_retry_after": sum(r["retry_after_s"] is not None for r in refused)}


def users(found: Found, slo: list[dict]) -> dict:
    """The most in flight in a closed loop for which nine requests of ten surely meet the objectives."""
    rows = []
    for m in sorted(found.closed, key=lambda m: -m.load.at):
        claim = claims.of_counts(m.point.n - m.point.n_good, m.point.n, OF_USERS)
        rows.append((int(m.load.at), m, claim))
    shown = next((row for row in rows if row[2].supported), None)
    limits = {objective["metric"]: objective["value_ms"] for objective in slo if objective["op"].startswith("<")}
    ttft, tpot = limits.get("ttft_intended", limits.get("ttft")), limits.get("tpot", limits.get("itl"))
    if shown is None:
        needed = [claim.needed for _, _, claim in rows if claim.needed]
        why = f"; a load needs {min(needed)} requests to show it" if needed else ""
        return {"n": None, "sentence": f"No number of users is shown to be served within the objectives for 90 % of requests{why}."}
    n, measured, claim = shown
    parts = [f"first token under {ttft:g} ms"] if ttft else []
    parts += [f"at least {1000 / tpot:.3g} tok/s each"] if tpot else []
    said = " and ".join(parts) or "every objective met"
    who = "1 user" if n == 1 else f"{n} users at once"
    return {"n": n, "in_flight": measured.point.in_flight, "requests": claim.n, "missed": claim.n_over,
            "sentence": f"{who} with {said} for 90 % of requests."}


def void_row(done: Done) -> dict:
    return {"kind": done.load.kind, "label": done.load.label, "tries": done.voids}


def made(found: Found, about: dict, slo: list[dict]) -> dict:
    """`about`: who was measured, with what, for how long."""
    every = [*found.closed, *found.open, *found.overload]
    one = [m for m in found.closed if m.load.at == 1]
    best = max(found.closed, key=lambda m: m.point.throughput)
    rows = [load_row(m, found.target) for m in every]
    peak = max((row["goodput"]["rate"]["value"] or 0.0 for row in rows if row["kind"] == "open"), default=0.0)
    return {"schema": SCHEMA} | about | {
        "machine": best.counted.machine, "goodput_target": found.target, "slo": slo,
        "one_in_flight": band(summaries.rate(one[0].counted, "requests_per_s", QUICK)) if one else None,
        "most_closed": band(summaries.rate(best.counted, "requests_per_s", QUICK)) | {"in_flight": best.point.in_flight},
        "knees": knees(found), "usl": law(found), "peak_goodput": peak,
        "overload": [overload_row(m, peak) for m in found.overload] if peak else [], "users": users(found, slo),
        "loads": rows, "void": [void_row(done) for done in found.void], "skipped": found.skipped}
