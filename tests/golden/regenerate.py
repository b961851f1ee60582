"""Makes the golden files anew with the reference implementations; ./dev golden runs it in a venv of requirements.txt.

    python tests/golden/regenerate.py MODEL.gguf [--light] [--into FOLDER]

--light leaves out what needs torch and transformers (gigabytes). --into works on a copy of this folder, so that a test can
compare what the references say today with what is committed.
"""

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Step:
    script: str
    makes: str
    arguments: tuple[str, ...] = ()  # MODEL stands for the model file
    to_stdout: bool = False
    heavy: bool = False


STEPS = (
    Step("make_character_classes.py", "tokenizer/classes.txt"),
    Step("make_tokenizer_golden.py", "tokenizer/smollm2.jsonl", ("MODEL",)),
    Step("make_utf8_golden.py", "utf8/replace.txt"),
    Step("make_template_golden.py", "templates/jinja2.jsonl"),
    Step("make_dequant_golden.py", "dequant.txt", to_stdout=True),
    Step("model/make_model_golden.py", "model/smollm2_greedy.json", ("MODEL", "model/smollm2_greedy.json"), heavy=True),
    Step("model/make_prompt_golden.py", "model/smollm2_prompt_logprobs.json", ("MODEL", "model/smollm2_prompt_logprobs.json"),
         heavy=True),
)


def regenerate(model: str, folder: Path, heavy: bool) -> list[str]:
    """Runs the steps in folder, which holds the scripts, and returns the files made."""
    steps = [s for s in STEPS if heavy or not s.heavy]
    for step in steps:
        print(f"==> {step.makes}", flush=True)
        arguments = [model if a == "MODEL" else a for a in step.arguments]
        done = subprocess.run([sys.executable, step.script, *arguments], cwd=folder, check=True,
                              stdout=subprocess.PIPE if step.to_stdout else None)
        if step.to_stdout:
            (folder / step.makes).write_bytes(done.stdout)
    return [s.makes for s in steps]


def copy_into(folder: Path) -> Path:
    return Path(shutil.copytree(HERE, folder / "golden", ignore=shutil.ignore_patterns("__pycache__")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    folder = copy_into(options.into) if options.into else HERE
    regenerate(str(Path(options.model).resolve()), folder, heavy=not options.light)


if __name__ == "__main__":
    main()
