"""Defaults are declared once: config/config.yaml and --help say what the dataclasses say."""

from dataclasses import asdict

import pytest

from authbench.cli import main
from authbench.models.entries import MODELS, ModelEntry
from authbench.pan.settings import TOPIC, TOPIC_MODEL, PairSettings
from authbench.raven.settings import RavenSettings
from authbench.registry.entries import read_yaml
from authbench.registry.load import list_entries, load_entry
from authbench.shipped import shipped
from authbench.train.settings import SEEDS, TrainSettings
from authbench.verifiers.entries import VERIFIERS, VerifierEntry

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
