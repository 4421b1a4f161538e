"""Read config entries of models: config/models/<name>.yaml, or a user's entry given by its path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from authbench.config.registry.load import EntryKind
from authbench.config.registry.typed_schema import COMPUTED, schema_of_kinds
from authbench.config.settings.values import Keywords, Text
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.storage.atomic import sha256_of_file
from authbench.models.function_code import digest_of_code, files_of
from authbench.models.parameters import (
    CANDIDATES,
    KINDS,
    OWN_LENGTH,
    FileParameters,
    FunctionParameters,
    Group,
    LongTexts,
    NgramsParameters,
    Parameters,
    PromptParameters,
    TransformerParameters,
    parameters_of,
)
from authbench.models.parts_of_speech import PIPELINES, tagger
from authbench.models.prompts import own_prompt, read_prompt

SANITY: Group = "sanity"  # the group of models that show what can be scored without reading style


@dataclass(frozen=True)
class ModelEntry:
    """A model of the registry.

    Attributes:
        group: the models it is ranked among.
        trained_on: sources whose texts it may have seen.
        shortcut: whether it sees only features other than style; a model is measured by its gain over the best of
            these.
        assumed: how settings were found that no entry states, a line each.
        size: number of parameters, where the entry states it.
    """

    name: str = field(metadata=COMPUTED)
    title: Text
    group: Group
    kind: str
    parameters: Parameters = field(metadata=COMPUTED)  # by `kind`
    trained_on: tuple[Text, ...] = ()
    shortcut: bool = False
    assumed: tuple[str, ...] = field(default=(), metadata=COMPUTED)
    size: Annotated[int, Keywords(minimum=1)] | None = None

    @property
    def files(self) -> list[str]:
        """Return the user's files that the model reads: results, a prompt, a function's modules, a checkpoint."""
        if isinstance(self.parameters, FileParameters):
            return [self.parameters.file]
        if isinstance(self.parameters, PromptParameters):
            return [] if own_prompt(self.parameters.prompt) else [self.parameters.prompt]
        if isinstance(self.parameters, FunctionParameters):
            return sorted(map(str, files_of(self.parameters.function)))
        if isinstance(self.parameters, TransformerParameters) and Path(self.parameters.checkpoint).is_dir():
            return [self.parameters.checkpoint]
        return []

    def as_dict(self) -> JsonObject:
        """Return the entry as plain values, from which `from_dict` restores it."""
        plain = {
            "name": self.name,
            "title": self.title,
            "group": self.group,
            "shortcut": self.shortcut,
            "kind": self.kind,
            "parameters": self.parameters.as_dict(),
            "trained_on": list(self.trained_on),
        }
        if self.assumed:
            plain["assumed"] = list(self.assumed)
        return plain | ({} if self.size is None else {"size": self.size})

    @classmethod
    def from_dict(cls, plain: JsonMapping) -> "ModelEntry":
        values = {**plain, "trained_on": tuple(plain["trained_on"]), "assumed": tuple(plain.get("assumed", ()))}
        return cls(**values | {"parameters": parameters_of(plain["kind"], plain["parameters"])})


def evaluated_together(models: Mapping[str, ModelEntry]) -> dict[str, ModelEntry]:
    """Return the models of the group sanity that a build scores in a single job: no files, functions or networks."""
    return {
        name: model
        for name, model in models.items()
        if model.group == SANITY
        and not isinstance(model.parameters, FileParameters | FunctionParameters)
        and not model.parameters.cached
    }


def expect_vectors(model: ModelEntry) -> None:
    """Raise InputError if a model does not give each text a vector."""
    if not model.parameters.embeds and not model.parameters.reads_file:
        raise InputError(
            f"{model.name}: a model of kind {model.kind} scores pairs of texts and gives none a vector. Expected a "
            "model with vectors; this one can be evaluated on a release (evaluate.models, authbench evaluate)."
        )
    if not model.parameters.embeds:
        raise InputError(
            f"{model.name}: a {model.kind} file, which gives no text a vector. Expected a model, or vectors; a run and "
            "scores of pairs can be evaluated on the release that they are of (evaluate.models, authbench evaluate)."
        )
    if model.parameters.late:
        raise InputError(f"{model.name}: late interaction has no vector for a text. Set interaction: vector.")


def expect_trainable(model: ModelEntry) -> None:
    """Raise InputError if contrastive training cannot tune a model."""
    if not isinstance(model.parameters, TransformerParameters):
        raise InputError(f"{model.name}: a model of kind {model.kind} cannot be tuned. Expected a transformer.")
    if not model.parameters.trainable:
        raise InputError(
            f"{model.name}: pooling: {model.parameters.pooling} has vectors of a classifier or of the checkpoint's own "
            "code, which cannot be tuned. Expected pooling own, mean, cls or last."
        )


def expect_language_model(model: ModelEntry) -> TransformerParameters:
    """Return the checkpoint of a language model. Raises InputError if the model is of another group."""
    if not isinstance(model.parameters, TransformerParameters) or model.group not in ("base", "instruct"):
        raise InputError(
            f"{model.name}: a model of kind {model.kind} and group {model.group}, which predicts no text. Expected a "
            "language model, as gpt2-xl or a folder with one."
        )
    return model.parameters


def with_long_texts(model: ModelEntry, long_texts: LongTexts) -> ModelEntry:
    """Return the model with another treatment of long texts; models without this setting are unchanged."""
    if not isinstance(model.parameters, TransformerParameters):
        return model
    return replace(model, parameters=replace(model.parameters, long_texts=long_texts))


def as_published(model: ModelEntry) -> ModelEntry:
    """Return the model by the recipe of the AuthBench papers' figures: token mean, no prompt, its own length.

    Raises:
        InputError: it is not a transformer.
    """
    if not isinstance(model.parameters, TransformerParameters):
        raise InputError(
            f"{model.name}: a model of kind {model.kind}, which has neither pooling nor prompts: as it is, it is as "
            "published. Expected a transformer."
        )
    parameters = replace(
        model.parameters,
        pooling="mean",
        query_prompt="",
        document_prompt="",
        max_tokens=OWN_LENGTH,
        long_texts="truncate",
        interaction="vector",
    )
    title = f"{model.title}, as published: mean of the tokens, no prompt, its own length"
    return replace(model, name=f"{model.name}.as-published", title=title, parameters=parameters)


def with_tuned_checkpoint(model: ModelEntry, checkpoint: str) -> ModelEntry:
    """Return a transformer with the checkpoint, a folder, that training has made from it."""
    assert isinstance(model.parameters, TransformerParameters), "expect_trainable first"
    return replace(model, parameters=replace(model.parameters, checkpoint=checkpoint, revision=None, pooling="own"))


def _problems(entry: JsonMapping) -> Iterator[str]:
    """Yield problems of an entry that the schema does not find."""
    parameters = entry.get("parameters", {})
    if parameters.get("pooling") == "labels" and parameters.get("interaction") == "late":
        yield (
            "parameters.interaction: late compares several vectors of a text, and pooling: labels gives one; expected "
            "interaction: vector, or another pooling"
        )
    if entry["kind"] == "edges" and parameters["n"][0] > parameters["n"][1]:
        yield f"parameters.n: {parameters['n']}; expected the shortest n-gram first"
    for place, part in enumerate(parameters.get("parts", [])):
        if part["n"][0] > part["n"][1]:
            yield f"parameters.parts[{place}].n: {part['n']}; expected the shortest n-gram first"


def _build(name: str, entry: JsonMapping, path: Path) -> ModelEntry:
    parameters, title = parameters_of(entry["kind"], entry.get("parameters", {})), entry["title"]
    if isinstance(parameters, TransformerParameters) and (path.parent / parameters.checkpoint).is_dir():
        parameters = replace(parameters, checkpoint=str(path.parent / parameters.checkpoint))
    if isinstance(parameters, NgramsParameters):
        parameters, note = _with_tagger(_with_corpus(parameters, path), path)
        title += note
    if isinstance(parameters, FunctionParameters):
        parameters = replace(parameters, code_sha256=digest_of_code(parameters.function))
    if isinstance(parameters, FileParameters):
        parameters = replace(parameters, file=str(_given_file(parameters.file, path)))
    if isinstance(parameters, PromptParameters):
        if own_prompt(parameters.prompt) is None:
            parameters = replace(parameters, prompt=str(_given_file(parameters.prompt, path, "prompt")))
        parameters = replace(parameters, prompt_sha256=sha256_of_text(read_prompt(parameters.prompt)))
    trained_on, shortcut, size = tuple(entry.get("trained_on", ())), entry.get("shortcut", False), entry.get("size")
    return ModelEntry(name, title, entry["group"], entry["kind"], parameters, trained_on, shortcut, size=size)


def _given_file(file: str, path: Path, parameter: str = "file") -> Path:
    """Return the file at this path, relative to the entry's folder or the working directory."""
    if (found := _found(file, path)) is None:
        raise InputError(
            f"{path}: parameters.{parameter}: there is no file {file}. Expected its path from the working directory or "
            "from the entry's folder."
        )
    here = Path.cwd()
    return found.relative_to(here) if found.is_relative_to(here) else found


def _found(file: str, path: Path) -> Path | None:
    return next((place for place in (path.parent / file, Path(file)) if place.is_file()), None)


def _with_corpus(parameters: NgramsParameters, path: Path) -> NgramsParameters:
    """Add the digest of the corpus that counts are fitted on. Raises InputError if the file is missing."""
    if parameters.fit_on == CANDIDATES:
        return parameters
    if (corpus := _found(parameters.fit_on, path)) is None:
        raise InputError(
            f"{path}: parameters.fit_on: there is no file {parameters.fit_on}. Expected {CANDIDATES}, or a file of "
            "JSON lines with `content`, by its path from the working directory or from the entry's folder."
        )
    return replace(parameters, fit_on=str(corpus), corpus_sha256=sha256_of_file(corpus))


def _with_tagger(parameters: NgramsParameters, path: Path) -> tuple[NgramsParameters, str]:
    """Add the tagger of parts of speech, or leave out the parts that need it and return a note for the title."""
    plain = tuple(part for part in parameters.parts if part.analyzer != "pos")
    if len(plain) == len(parameters.parts):
        return parameters, ""
    if installed := tagger():
        return replace(parameters, tagger=installed), ""
    if not plain:
        raise InputError(f"{path}: parts of speech need spaCy and {PIPELINES[0]}, which are not installed.")
    note = f" (left out: parts of speech, as spaCy and {PIPELINES[0]} are not installed)"
    return replace(parameters, parts=plain, tagger=None), note


MODELS = EntryKind("model", "models", partial(schema_of_kinds, ModelEntry, KINDS), _build, _problems)
