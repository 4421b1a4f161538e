"""--help says the defaults of config/config.yaml, and entries survive the way through plain values."""

import pytest
from cases import cases
from defaults import section

from authbench.app.cli import main
from authbench.config.registry.load import list_entries, load_entry
from authbench.models.entries import MODELS, ModelEntry
from authbench.scoring.verifiers.requested import VERIFIERS, VerifierEntry


@cases
def test_help_shows_the_defaults(command, shown, capsys):
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    told = " ".join(capsys.readouterr().out.split())
    usual = section(command.split()[0])
    assert [name for name in shown if f"(default: {usual[name]})" not in told] == []


@pytest.mark.parametrize("name", [name for name in list_entries(MODELS) if not name.startswith(("tfidf-", "lisa"))])
def test_a_model_s_entry_is_the_same_after_it_was_plain_values(name):
    entry = load_entry(MODELS, name)
    assert ModelEntry.from_dict(entry.as_dict()) == entry


@pytest.mark.parametrize("name", list_entries(VERIFIERS))
def test_a_verifier_s_entry_is_the_same_after_it_was_plain_values(name):
    entry = load_entry(VERIFIERS, name)
    assert VerifierEntry.from_dict(entry.as_dict()) == entry
