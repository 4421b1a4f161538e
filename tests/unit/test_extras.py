"""What is not installed, or lacked by the system, is said in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from authbench import __version__
from authbench.cli import main
from authbench.extras import missing_extra


def test_the_command_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"authbench {__version__}\n")


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("torch.nn", "models"),
        ("kaggle", "acquire"),
        ("detoxify", "toxicity"),
        ("spacy", "probing"),
        ("snakemake.cli", "build"),
        ("matplotlib", "plots"),
    ],
)
def test_a_module_of_an_extra_is_named_with_the_command_that_installs_it(module: str, extra: str) -> None:
    said = str(missing_extra(ModuleNotFoundError("no", name=module)))
    assert said == f"{module.split('.')[0]} is not installed. It comes with: pip install 'authbench[{extra}]'"


@pytest.mark.parametrize("error", [ModuleNotFoundError("no", name="numpy"), ModuleNotFoundError("no"), ValueError()])
def test_any_other_error_is_none_of_a_missing_extra(error: Exception) -> None:
    assert missing_extra(error) is None


def test_a_system_without_file_locks_is_named_in_one_line() -> None:
    calling = "import sys; sys.modules['fcntl'] = None; from authbench.cli import main; sys.exit(main(['sources']))"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "workflow")}
    done = subprocess.run([sys.executable, "-c", calling], env=env, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("authbench: AuthBench runs on Linux and macOS: this system has no `fcntl`")
