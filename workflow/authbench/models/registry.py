"""Which models are there, and what is asked of each?

A model is a page config/models/<name>.yaml (workflow/schemas/model.schema.yaml), or a page of one's own given by path.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.models.lexical import CANDIDATES
from authbench.models.parts_of_speech import PIPELINES, tagger
from authbench.registry.entries import read_yaml, schema_problems
from authbench.shipped import shipped

MODELS = shipped("config/models")
SCHEMA = shipped("schemas/model.schema.yaml")


@dataclass(frozen=True)
class Model:
    """An entry of the registry: `parameters` are those of its `kind`, with defaults filled in; `group` is what it is
    ranked among; `trained_on` names the sources whose texts it may have seen."""

    name: str
    title: str
    group: str
    kind: str
    parameters: Mapping[str, Any]
    trained_on: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def find_model(asked: str, folder: Path = MODELS) -> Model:
    """The model of that name in `folder`, or the one that a path names. Raises InputError where there is none."""
    path = Path(asked) if asked.endswith((".yaml", ".yml")) else folder / f"{asked}.yaml"
    if not path.is_file():
        if path.name == asked or path.parent != folder:
            raise InputError(f"{asked}: there is no such page of a model.")
        names = sorted(page.stem for page in folder.glob("*.yaml"))
        close = get_close_matches(asked, names, n=1)
        known = f"Did you mean {close[0]}?" if close else f"Known are {', '.join(names)}."
        raise InputError(f"There is no model '{asked}'. {known} A page of your own is given by its path.")
    page = read_yaml(path)
    if problems := list(wrong_with(page)):
        raise InputError(f"{path}:\n" + "\n".join(f"  - {problem}" for problem in problems))
    parameters = defaults(page["kind"]) | page.get("parameters", {})
    beside = path.parent / parameters.get("checkpoint", "")
    if "checkpoint" in parameters and beside.is_dir():
        parameters["checkpoint"] = str(beside)
    title = page["title"] + (complete_ngrams(parameters, path) if page["kind"] == "ngrams" else "")
    return Model(path.stem, title, page["group"], page["kind"], parameters, tuple(page.get("trained_on", ())))


def complete_ngrams(parameters: dict[str, Any], path: Path) -> str:
    """Add what the results depend on beside the page: the hash of the corpus, the tagger of parts of speech.

    Without a tagger its parts are left out; returned is what the title has to say of that. Raises InputError where
    there is no such corpus.
    """
    if parameters["fit_on"] != CANDIDATES:
        places = [path.parent / parameters["fit_on"], Path(parameters["fit_on"])]
        corpus = next((place for place in places if place.is_file()), None)
        if corpus is None:
            raise InputError(
                f"{path}: parameters.fit_on: there is no file {parameters['fit_on']}. Expected {CANDIDATES}, or a file "
                "of JSON lines with `content`, by its path from here or from the page's folder."
            )
        parameters["fit_on"] = str(corpus)
        with corpus.open("rb") as file:
            parameters["corpus_sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
    plain = [part for part in parameters["parts"] if part["analyzer"] != "pos"]
    if len(plain) == len(parameters["parts"]):
        return ""
    parameters["tagger"] = tagger()
    if parameters["tagger"]:
        return ""
    if not plain:
        raise InputError(f"{path}: parts of speech need spaCy and {PIPELINES[0]}, which are not installed.")
    parameters["parts"] = plain
    return f" (left out: parts of speech, as spaCy and {PIPELINES[0]} are not installed)"


def expect_names_apart(models: Iterable[Model]) -> None:
    """Raises InputError where two models have one name: their results would be one folder."""
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two models are called {name}, which names their results. Rename one of the pages.")


def expect_vectors(model: Model) -> None:
    """Raises InputError where a model gives a text no vector of its own."""
    if model.parameters.get("interaction") == "late":
        raise InputError(f"{model.name}: late interaction has no vector for a text. Set interaction: vector.")


def expect_trainable(model: Model) -> None:
    """Raises InputError where a model is nothing that contrastive training can tune."""
    if model.kind != "transformer":
        raise InputError(f"{model.name}: a model of kind {model.kind} cannot be tuned. Expected a transformer.")
    if model.parameters["pooling"] == "labels":
        raise InputError(
            f"{model.name}: pooling: labels gives the probabilities of a classifier, which cannot be tuned as vectors. "
            "Expected pooling own, mean, cls or last."
        )


def wrong_with(page: Any) -> Iterator[str]:
    """Everything that keeps a page from being a model, in words."""
    problems = [problem for _, problem in schema_problems(page, SCHEMA)]
    yield from problems
    parameters = {} if problems else page.get("parameters", {})
    if parameters.get("pooling") == "labels" and parameters.get("interaction") == "late":
        yield (
            "parameters.interaction: late compares tokens, and pooling: labels gives one vector for a whole text; "
            "expected interaction: vector, or another pooling"
        )
    for place, part in enumerate(parameters.get("parts", [])):
        if part["n"][0] > part["n"][1]:
            yield f"parameters.parts[{place}].n: {part['n']}; expected the shortest n-gram first"


def defaults(kind: str) -> dict[str, Any]:
    """The parameters of a kind that a page may leave out, as the schema gives them."""
    for rule in read_yaml(SCHEMA)["allOf"]:
        if rule["if"]["properties"]["kind"].get("const") == kind:
            known = rule["then"]["properties"]["parameters"]["properties"]
            return {name: about["default"] for name, about in known.items() if "default" in about}
    return {}
