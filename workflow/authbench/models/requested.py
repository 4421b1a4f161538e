"""Load the model that a user names.

tfidf                       an entry of config/models
mine.yaml                   a user's entry
./checkpoint                a folder of sentence-transformers or transformers
owner/name                  a model of Hugging Face; owner/name@revision pins it
module:function             a function that embeds texts
plug-in                     such a function in an installed package (docs/plug-ins.md)
vectors=FILE                vectors, a run or scores of pairs that a model gave elsewhere
run=FILE, pairs=FILE
as-published=MODEL          a transformer by the recipe of the AuthBench papers' figures (`entries.as_published`)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from authbench.config.plugins import find_plugin, plugin_names
from authbench.config.registry.checks import expect_distinct_names
from authbench.config.registry.entries import default_settings
from authbench.config.registry.load import LONGEST_NAME, NAME, is_path, list_entries, load_each, load_entry
from authbench.config.registry.values import shown
from authbench.core.errors import InputError
from authbench.core.words import nearest
from authbench.models.entries import MODELS, SANITY, ModelEntry, as_published
from authbench.models.folder import FILES, FolderSettings, read_settings
from authbench.models.function_code import digest_of_code
from authbench.models.hub import commit_of, snapshot
from authbench.models.parameters import FunctionParameters, Group, TransformerParameters, parameters_of

GIVEN = ("vectors", "run", "pairs")  # kinds whose results are read from a file
PUBLISHED = "as-published"
OTHER: Group = "other"  # the group of models without a description
_FUNCTION = re.compile(r"[^\W\d]\w*(\.\w+)*:[^\W\d]\w*(\.\w+)*")
_HUB = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(@(?P<revision>[\w./-]+))?")
_TITLES = {"vectors": "vectors of", "run": "run of", "pairs": "scores of pairs of"}


def load_model(requested: str, base: Path = Path(), name: str | None = None) -> ModelEntry:
    """Return the model of this name, file, folder or function.

    Args:
        requested: as this module lists it; a name of the registry takes precedence over a folder of that name.
        base: the working directory, which paths are relative to.
        name: its name in results; None: the name of its file, folder or function.

    Raises:
        InputError: there is no such model, its description cannot be used, or its name is a control's.
    """
    model = _load(requested, base)
    model = model if name is None else replace(model, name=usable_name(name))
    expect_no_control(model.name, requested, base, model)
    return model


def expect_no_control(name: str, requested: str, base: Path = Path(), model: ModelEntry | None = None) -> None:
    """Raise InputError if the name for results is a control's, and the model is another."""
    if name != requested and name in list_entries(MODELS, base):
        entry = load_entry(MODELS, name, base)
        if entry.group == SANITY and entry != model:
            raise InputError(
                f"{requested}: {name} is the name of a control ({entry.title}). Give another with --name, or "
                "rename the file."
            )


def load_models(requested: Iterable[str], base: Path = Path()) -> list[ModelEntry]:
    """Return models in the order of the requests.

    Raises:
        InputError: the problems of all of them, or that two share a name.
    """
    models = load_each(lambda one: load_model(one, base), requested)
    expect_distinct_names("--model", "models", (model.name for model in models))
    return models


def model_of_build(stated: Mapping[str, object], trained: Sequence[str]) -> ModelEntry:
    """Return a model of a build: the stated model, or, where the build trains it, the model of the written entry.

    Args:
        stated: the model as plain values.
        trained: the entry's file, and the other files of the training; empty for any other model.
    """
    return load_entry(MODELS, trained[0]) if trained else ModelEntry.from_dict(stated)


def names_model(requested: str, base: Path = Path()) -> bool:
    """Return whether a text names a model: an entry of config/models, or a model that needs no entry."""
    given = requested.partition("=")[0] in (*GIVEN, PUBLISHED) and "=" in requested
    shape = _FUNCTION.fullmatch(requested) or _HUB.fullmatch(requested)
    named = {*list_entries(MODELS, base), *plugin_names("models")}
    return given or bool(shape) or requested in named or (base / requested).is_dir()


def sanity_rows() -> list[ModelEntry]:
    """Return the models of the group sanity that builds evaluate by default (config.yaml)."""
    usual = default_settings()["evaluate"]["models"]
    return [model for model in map(load_model, usual) if model.group == SANITY]


def _load(requested: str, base: Path) -> ModelEntry:
    kind, _, file = requested.partition("=")
    if kind == PUBLISHED and file:
        return as_published(_load(file, base))
    if kind in GIVEN and file:
        return _given(kind, file, base)
    if is_path(requested) or requested in list_entries(MODELS, base):
        return load_entry(MODELS, requested, base)
    if (base / requested).is_dir():
        return _of_folder(requested, base)
    if _FUNCTION.fullmatch(requested):
        parameters = FunctionParameters(requested, digest_of_code(requested, base))
        title = f"the function {requested}"
        return ModelEntry(_name_of(requested), title, OTHER, "function", parameters, assumed=_unseen())
    if found := _HUB.fullmatch(requested):
        return _of_hub(found["name"], found["revision"])
    plugins = plugin_names("models")
    if requested in plugins:
        return _of_plugin(requested)
    try:
        return load_entry(MODELS, requested, base)
    except InputError as problem:
        said = f"{problem}{nearest(requested, plugins)}"
        raise InputError(
            f"{said}{'' if said.endswith('?') else '.'} Or give a folder, owner/name of Hugging Face, or "
            "module:function (docs/evaluation.md)."
        ) from None


def _given(kind: str, file: str, base: Path) -> ModelEntry:
    path = base / file
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise InputError(f"{file}: {what}. Expected a file of the kind {kind} (docs/evaluation.md).")
    here = Path.cwd()
    path = path.relative_to(here) if path.is_relative_to(here) else path
    title = f"{_TITLES[kind]} {PurePath(file).name}"
    parameters = parameters_of(kind, {"file": str(path)})
    return ModelEntry(_name_of(PurePath(file).stem), title, OTHER, kind, parameters, assumed=_unseen())


def _of_plugin(name: str) -> ModelEntry:
    plugin = find_plugin("models", name)
    package = f"{plugin.package} {plugin.version}"
    parameters = FunctionParameters(plugin.target, plugin.code_sha256, package)
    return ModelEntry(usable_name(name), f"{name} of {package}", OTHER, "function", parameters, assumed=_unseen())


def _of_folder(requested: str, base: Path) -> ModelEntry:
    folder = base / requested
    settings = read_settings(folder, requested)
    name = _name_of(folder.resolve().name)
    return _transformer(name, f"the checkpoint in {folder.resolve().name}", str(folder), None, settings)


def _of_hub(name: str, revision: str | None) -> ModelEntry:
    folder = snapshot(name, revision, FILES)
    commit = commit_of(folder) or revision
    settings = read_settings(folder, name)
    at = f" at {commit[:12]}" if commit else ""
    return _transformer(_name_of(name.replace("/", "--")), f"{name}{at}", name, commit, settings)


def _transformer(name: str, title: str, checkpoint: str, revision: str | None, settings: FolderSettings) -> ModelEntry:
    given = {"checkpoint": checkpoint, "revision": revision, **settings.parameters}
    parameters = parameters_of("transformer", given)
    assert isinstance(parameters, TransformerParameters)
    return ModelEntry(name, title, settings.group, "transformer", parameters, assumed=settings.assumed)


def _unseen() -> tuple[str, ...]:
    return ("trained_on: nothing (assumed: nothing says what texts it has seen)",)


def _name_of(text: str) -> str:
    """Return a name for the results of a file, folder or function.

    >>> _name_of("my_encoder:encode"), _name_of("BAAI--bge m3")
    ('my_encoder.encode', 'BAAI--bge-m3')
    """
    return usable_name(re.sub(r"[^\w.-]", "-", text.replace(":", ".")).lstrip("_.-"))


def usable_name(name: str) -> str:
    """Return a name for results. Raises InputError if it is none."""
    if not NAME.fullmatch(name) or len(name.encode()) > LONGEST_NAME:
        raise InputError(
            f"{shown(name)} is not a name for results: expected at most {LONGEST_NAME} letters, digits, dots, hyphens "
            "and underscores, the first a letter or digit; give another with --name, or rename the file"
        )
    return name
