"""Which turns count. Pure functions on what a turn measured and on the results that `mie bench` wrote in it."""

MAX_FOREIGN_CPU = 0.05  # of all cores, by processes that are neither the server nor the client
# Prompt tokens that came from a cache, as servers count them; each has one of these.
CACHE_HITS = ("vllm:prefix_cache_hits_total", "llamacpp:prompt_tokens_cached_total")
PASSING = ("disturbed", "client_bound", "not_steady", "partial")  # states of a result that another turn may not have


def fault(turn: dict, results: list[dict]) -> str | None:
    """Why a turn must not count, though another may; None if it may. The client's own probes and its lateness are in the state."""
    if turn["foreign_cpu"] > MAX_FOREIGN_CPU:
        return f"other processes used {100 * turn['foreign_cpu']:.0f} % of the CPU"
    for result in results:
        if result["validity"]["state"] in PASSING:
            return "; ".join(result["validity"]["reasons"])
    return None


def cache_hits(load: dict) -> float | None:
    """By how much the server's counter of cached prompt tokens grew in one load; None: it has none."""
    before, after = load["metrics_before"], load["metrics_after"]
    return next((after[name] - before.get(name, 0) for name in CACHE_HITS if name in after), None)


def unequal_work(turn: dict, results: list[dict], cached: bool) -> str | None:
    """Why a turn did other work than asked. `cached`: prefix caches are on. Token sums are the results' own check: prompts and
    outputs, as planned, as the answers' usage has them, and as the server's counters have them."""
    if not results:
        return f"no result, exit code {turn['exit_code']}: {turn['said']}"
    for result in results:
        if result["validity"]["state"] not in ("ok", *PASSING):
            return "; ".join(result["validity"]["reasons"])
        if failed := {status: n for status, n in result["counts"]["by_status"].items() if n and status != "ok"}:
            return f"requests failed: {failed}"
        if result["validity"]["state"] == "ok" and not result["checks"]["counters"]["checked"]:
            return "the server has no counters to hold the tokens against"
        hits = [cache_hits(load) for load in result["server"]["arms"][0]["loads"]]
        if None in hits:
            return "the server does not count what its prefix cache answered"
        said = result["counts"]["tokens_cached"]
        if not cached and (any(hits) or said):
            return f"the prefix cache is off and answered {sum(hits):.0f} tokens by counter, {said} by usage"
        if cached and not all(hits):
            return "the prefix cache is on and answered nothing"
    return None


def order(names: list[str], round_number: int) -> list[str]:
    """Forth and back, so that what drifts falls on all alike."""
    return names if round_number % 2 == 1 else names[::-1]


def unfinished(valid: dict[str, int], wanted: int) -> bool:
    """`valid`: turns of each engine that count."""
    return any(n < wanted for n in valid.values())
