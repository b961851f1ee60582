"""What is refused before any number is printed."""

import hashlib
import json

import made_results as made
import pytest

from bench.analysis import result


@pytest.fixture
def requests() -> list[dict]:
    return made.served(40, 2.0) + [made.failed(40, "rejected_429", 100), made.request(41, 0, warmup=True)]


def test_a_consistent_result_loads_without_its_warmup(tmp_path, requests):
    found = result.load(made.write(tmp_path / "r", requests))
    assert (len(found.everything), len(found.requests)) == (42, 41)
    assert (found.run_id, found.label, found.machine, found.simulated) == ("0195-made", "made", "Made CPU, 2 threads", False)


def test_figures_are_of_requests_offered_in_the_steady_window(tmp_path):
    requests = [made.request(i, intended) for i, intended in enumerate((0, 100, 200, 300))]
    inside = made.document(requests[1:3])
    folder = made.write(tmp_path / "r", requests, windows={"steady": {"a_ns": 100 * made.MS, "b_ns": 300 * made.MS}},
                        counts=inside["counts"], metrics=inside["metrics"])
    assert [r["id"] for r in result.load(folder).requests] == ["r1", "r2"]


def test_a_simulated_result_says_so(tmp_path, requests):
    found = result.load(made.write(tmp_path / "r", requests, {"target": {"kind": "sim"}}))
    assert (found.simulated, found.label) == (True, "made (sim)")


def drop(name):
    return lambda document: document.pop(name)


def put(value, *path):
    def change(document):
        for name in path[:-1]:
            document = document[name]
        document[path[-1]] = value
    return change


@pytest.mark.parametrize("change, says", [
    (drop("spec_sha256"), "no spec_sha256; no number without its workload"),
    (put("", "spec_sha256"), "no spec_sha256"),
    (put("ab" * 31, "spec_sha256"), "spec_sha256 is not a SHA-256"),
    (drop("expanded_sha256"), "no expanded_sha256"),
    (drop("spec"), "no spec"),
    (put("ab" * 32, "spec_sha256"), "spec_sha256 is not the hash of the spec"),
    (put(2, "spec", "seed"), "spec_sha256 is not the hash of the spec"),
    (drop("host"), "no host"),
    (put("mie.result/2", "schema"), "schema is not mie.result/1"),
    (put("fine", "validity", "state"), "validity.state is 'fine'"),
    (put(40, "counts", "offered"), "counts.offered is 40, the requests have 41"),
    (put({"ok": 41}, "counts", "by_status"), "counts.by_status is"),
    (put(1, "counts", "tokens_in"), "counts.tokens_in is 1, the requests have"),
    (put(1, "counts", "tokens_out"), "counts.tokens_out is 1"),
    (put(1, "counts", "tokens_cached"), "counts.tokens_cached is 1, the requests have 0"),
    (put(39, "metrics", "ttft", "ok", "n"), "metrics.ttft.ok.n is 39, the requests have 40"),
    (put(0.5, "metrics", "e2el", "ok", "mean"), "metrics.e2el.ok.mean is 0.5 s"),
    (put(0.5, "metrics", "ttft", "ok", "percentiles", "p50", "linear"), "metrics.ttft.ok.50.0 is 0.5 s"),
    (put({"requests_per_s": 1.0}, "throughput"), "throughput.requests_per_s is 1.0, the requests give"),
    (put({"good": 39}, "goodput"), "goodput.good is 39, the requests have 40"),
    (put({}, "metrics", "itl", "ok", "percentiles"), "metrics.itl.ok.1.0 is None s"),
])
def test_a_result_that_cannot_be_traced_or_does_not_agree_is_refused(tmp_path, requests, change, says):
    folder = made.write(tmp_path / "r", requests)
    document = json.loads((folder / "result.json").read_text())
    change(document)
    (folder / "result.json").write_text(json.dumps(document))
    with pytest.raises(result.Refused) as refused:
        result.load(folder)
    assert says in str(refused.value)


@pytest.mark.parametrize("change, says", [
    (lambda r: r.pop("token_hash"), ":3: no token_hash"),
    (lambda r: r.update(status="fine"), "status 'fine' does not exist"),
    (lambda r: r.update(output_tokens=r["output_tokens"] + 1), "of usage"),
    (lambda r: r.update(id="r0"), "request r0 is there twice"),
    (lambda r: r.update(end_ns=r["end_ns"] + 10 * made.MS), "metrics.e2el.ok.mean"),
])
def test_a_request_line_that_does_not_agree_is_refused(tmp_path, requests, change, says):
    folder = made.write(tmp_path / "r", requests)
    change(requests[2])
    (folder / "requests.jsonl").write_text("".join(json.dumps(r) + "\n" for r in requests))
    with pytest.raises(result.Refused) as refused:
        result.load(folder)
    assert says in str(refused.value)


@pytest.mark.parametrize("name, content", [("result.json", "{"), ("result.json", "[]"), ("requests.jsonl", "{\n"), ("requests.jsonl", None)])
def test_a_broken_or_missing_file_is_refused(tmp_path, requests, name, content):
    folder = made.write(tmp_path / "r", requests)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content)
    with pytest.raises(result.Refused, match=name):
        result.load(folder)


def two_arms(n_repetitions: int = 2) -> list[dict]:
    """Repetitions of a second each, the arms after each other: off 0, on 1, off 2, on 3."""
    return [made.request(i, 1000 * (2 * repetition + place) + 100 * i, 50, (10,), arm=arm, repetition=repetition)
            for repetition in range(n_repetitions) for place, arm in enumerate(("off", "on")) for i in range(4)]


def test_a_part_is_one_repetition_of_one_arm_with_a_window_of_its_own(tmp_path):
    folder = made.write(tmp_path / "r", two_arms(), {"arms": [{"name": "on"}, {"name": "off"}]})
    found = result.load(folder)
    assert found.arms == ["on", "off"]  # as the spec names them
    on = found.of_arm("on")
    assert [(part.arm, part.repetition, len(part.requests)) for part in on.parts] == [("on", 0, 4), ("on", 1, 4)]
    # From the first request to the end of the last, at 1000 + 300 + 50 + 10 ms.
    assert on.parts[0].window == (1000 * made.MS, 1360 * made.MS + 1)


def test_a_load_lasts_as_long_as_the_client_says(tmp_path):
    loads = [{"arm": arm, "repetition": repetition, "began_ns": start * made.MS, "ended_ns": (start + 900) * made.MS}
             for arm, repetition, start in (("off", 0, 0), ("on", 0, 1000), ("off", 1, 2000), ("on", 1, 3000))]
    requests = two_arms()
    # Four answers of two tokens in 0.9 s, in each of three loads; of the last the steady window holds 0.36 s.
    rates = {"requests_per_s": (3 * 4 / 0.9 + 4 / 0.36) / 4, "output_tokens_per_s": (3 * 8 / 0.9 + 8 / 0.36) / 4}
    found = result.load(made.write(tmp_path / "r", requests, repetitions=loads, throughput=rates))
    assert [part.window for part in found.of_arm("on").parts] == [(1000 * made.MS, 1900 * made.MS), (3000 * made.MS, 3360 * made.MS + 1)]


def test_the_hash_is_of_the_text_that_the_client_wrote(tmp_path, requests):
    # Two thirds with one digit more than Python would write.
    text = '{"name":"made","share":0.66666666666666670,"target":{"kind":"http"}}'
    folder = made.write(tmp_path / "r", requests, spec_sha256=hashlib.sha256(text.encode()).hexdigest())
    document = json.loads((folder / "result.json").read_text()) | {"spec": None}
    (folder / "result.json").write_text(json.dumps(document, separators=(",", ":")).replace('"spec":null', f'"spec":{text}'))
    assert result.load(folder).name == "made"


def test_a_server_without_usage_is_counted_by_its_events(tmp_path):
    requests = [made.request(i, 10 * i, 5, (20, 20), output_tokens=None, prompt_tokens=None, cached_tokens=None) for i in range(3)]
    counts = {"offered": 3, "sent": 3, "by_status": {"ok": 3}, "tokens_in": 0, "tokens_out": 9, "tokens_cached": 0}
    usual = [made.request(i, 10 * i, 5, (20, 20)) for i in range(3)]
    found = result.load(made.write(tmp_path / "r", usual, counts=counts | {"tokens_in": 96}))
    assert len(found.requests) == 3
    (tmp_path / "r/requests.jsonl").write_text("".join(json.dumps(r) + "\n" for r in requests))
    (tmp_path / "r/result.json").write_text(json.dumps(made.document(usual, counts=counts)))
    assert len(result.load(tmp_path / "r").requests) == 3
