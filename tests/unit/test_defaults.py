"""Defaults are declared once: config/config.yaml and --help say what the dataclasses say."""

from dataclasses import asdict, fields

import pytest

from authbench.cli import main
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.parameters import KINDS as MODEL_KINDS
from authbench.pan.settings import TOPIC, TOPIC_MODEL, PairSettings
from authbench.raven.settings import RavenSettings
from authbench.registry.entries import read_yaml
from authbench.registry.load import list_entries, load_entry
from authbench.shipped import shipped
from authbench.train.settings import SEEDS, TrainSettings
from authbench.verifiers.entries import VERIFIERS, VerifierEntry
from authbench.verifiers.parameters import KINDS as VERIFIER_KINDS

CONFIG = read_yaml(shipped("config/config.yaml"))


def test_the_configuration_has_the_defaults_of_training() -> None:
    train = CONFIG["train"]
    of_builds = {"models": train["models"], "in_leaderboard": False}
    assert train == of_builds | {"seeds": SEEDS} | asdict(TrainSettings())
    assert TrainSettings.from_section(train) == TrainSettings()


def test_the_configuration_has_the_defaults_of_pan() -> None:
    pan = asdict(PairSettings()) | {"topics": TOPIC, "topic_model": TOPIC_MODEL}
    assert {name: value for name, value in CONFIG["pan"].items() if name in pan} == {
        name: value for name, value in pan.items() if name != "per_author"
    }


def test_the_configuration_has_the_defaults_of_raven() -> None:
    assert RavenSettings().as_section() == CONFIG["raven"]
    assert RavenSettings.from_section(CONFIG["raven"]) == RavenSettings()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("train", (SEEDS, TrainSettings.epochs, TrainSettings.batch, TrainSettings.learning_rate)),
        ("pan-pairs", (PairSettings.setting, PairSettings.test, PairSettings.same, PairSettings.small, TOPIC)),
        ("pan-evaluate", (TOPIC_MODEL,)),
        ("raven", (RavenSettings().subsets.topics, RavenSettings().subsets.folds, RavenSettings().subsets.seeds)),
    ],
)
def test_help_shows_the_defaults(command: str, shown: tuple[object, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert [value for value in shown if f"(default: {value})" not in told] == []


@pytest.mark.parametrize("name", [name for name in list_entries(MODELS) if not name.startswith(("tfidf-", "lisa"))])
def test_a_model_s_entry_is_the_same_after_it_was_plain_values(name: str) -> None:
    entry = load_entry(MODELS, name)
    assert ModelEntry.from_dict(entry.as_dict()) == entry


@pytest.mark.parametrize("name", list_entries(VERIFIERS))
def test_a_verifier_s_entry_is_the_same_after_it_was_plain_values(name: str) -> None:
    entry = load_entry(VERIFIERS, name)
    assert VerifierEntry.from_dict(entry.as_dict()) == entry


@pytest.mark.parametrize(
    ("schema", "kinds", "computed"),
    [
        (MODELS.schema_path, MODEL_KINDS, {"corpus_sha256", "tagger", "code_sha256", "file_sha256"}),
        (VERIFIERS.schema_path, VERIFIER_KINDS, set()),
    ],
)
def test_parameters_are_those_of_the_schema(schema: object, kinds: object, computed: set[str]) -> None:
    declared: dict[str, set[str]] = {}
    for branch in read_yaml(schema)["allOf"]:  # type: ignore[arg-type]
        kind = branch["if"]["properties"]["kind"]
        properties = branch["then"]["properties"]["parameters"].get("properties", {})
        declared |= {name: set(properties) for name in kind.get("enum", [kind.get("const")])}
    found = {name: {field.name for field in fields(made)} - computed for name, made in kinds.items()}  # type: ignore
    assert found == declared
