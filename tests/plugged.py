"""Install packages of tests/plugins in a folder, as pip would, without the network."""

import shutil
import sys
import tomllib
from pathlib import Path

PLUGINS = Path(__file__).parent / "plugins"


def install(name, folder):
    """Copy a package's modules into the folder, with the metadata of pyproject.toml; return its module."""
    project = tomllib.loads((PLUGINS / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    points = [
        f"[{group}]\n" + "".join(f"{point} = {target}\n" for point, target in points.items())
        for group, points in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(points), encoding="utf-8")
    return Path(shutil.copy(PLUGINS / name / f"{name}.py", folder))


def forget():
    """Forget the packages' modules, and others of their names, as if another process began."""
    for package in PLUGINS.iterdir():
        sys.modules.pop(package.name, None)
