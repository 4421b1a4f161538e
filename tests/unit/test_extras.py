"""What is not installed, or lacked by the system, is said in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases
from extras import needs

from authbench import __version__
from authbench.app.cli import main
from authbench.core.extras import missing_extra


def test_the_command_says_its_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"authbench {__version__}\n")


@cases
def test_a_module_of_an_extra_is_named_with_the_command_that_installs_it(module, extra):
    said = str(missing_extra(ModuleNotFoundError("no", name=module)))
    assert said == f"{module.split('.')[0]} is not installed. It comes with: pip install 'authbench[{extra}]'"


@pytest.mark.parametrize("error", [ModuleNotFoundError("no", name="numpy"), ModuleNotFoundError("no"), ValueError()])
def test_any_other_error_is_none_of_a_missing_extra(error):
    assert missing_extra(error) is None


def test_a_system_without_file_locks_is_named_in_one_line():
    calling = (
        "import sys; sys.modules['fcntl'] = None; from authbench.app.cli import main; sys.exit(main(['check', 'x']))"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "workflow")}
    done = subprocess.run([sys.executable, "-c", calling], env=env, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("authbench: AuthBench runs on Linux and macOS: this system has no `fcntl`")


@needs("argcomplete", "completion")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("authbench leaderb", {"leaderboard"}),
        ("authbench check --j", {"--json"}),
        ("authbench release exp", {"export"}),
        ("authbench pan run --tra", {"--train"}),
    ],
)
def test_the_shell_completes_commands_and_options(line, offered, tmp_path):
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    asked |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "offered"), "_ARGCOMPLETE_IFS": " "}
    calling = "from authbench.app.cli import main; main([])"
    path = os.pathsep.join([str(Path(__file__).parents[2] / "workflow"), os.environ.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-c", calling], env={**os.environ, **asked, "PYTHONPATH": path}, check=True)
    assert set((tmp_path / "offered").read_text(encoding="utf-8").split()) == offered
