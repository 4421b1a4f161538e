"""A checkout that is moved or renamed builds with the environment it has."""

import shutil
import subprocess
import sysconfig
import venv

from project import ROOT, copy_project, surroundings


def test_make_and_scripts_of_the_environment_work_after_a_move(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second, with spaces"
    copy_project(first)
    install(first)
    first.rename(second)
    assert "now name its new place" in make(second, "environment")
    assert make(second, "environment") == ""
    assert "write_release" in make(second, "plan")
    said = subprocess.run(
        [second / ".venv/bin/where"], cwd=tmp_path, env=surroundings(), check=True, capture_output=True, text=True
    )
    assert said.stdout.strip() == str(second / "workflow/authbench/__init__.py")


def make(folder, target):
    """Return what `make` prints besides the commands that it runs."""
    done = subprocess.run(
        ["make", "--silent", "CORES=1", target], cwd=folder, env=surroundings(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(folder):
    """Give a checkout a `.venv` as `make environment` does, with the packages of the Python that runs the tests."""
    for name in ("Makefile", "requirements.lock", "requirements-extras.lock"):
        shutil.copyfile(ROOT / name, folder / name)
    environment = folder / ".venv"
    venv.create(environment, symlinks=True)
    packages = next(environment.glob("lib/*/site-packages"))
    (packages / "__editable__.authbench.pth").write_text(f"{folder / 'workflow'}\n")
    (packages / "beside.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    script = environment / "bin/where"
    script.write_text(f"#!{environment}/bin/python\nimport authbench\nprint(authbench.__file__)\n")
    script.chmod(0o755)
    (environment / "ready-").touch()
    make(folder, "environment")
