"""Open the model of a config entry."""

from authbench.models.entries import ModelEntry
from authbench.models.model import Model, VectorCache
from authbench.models.parameters import TransformerParameters


def open_model(entry: ModelEntry, cache: VectorCache | None = None) -> Model:
    """Return the model of an entry. Vectors that depend on single texts are cached if a cache is given."""
    if isinstance(entry.parameters, TransformerParameters):
        from authbench.models.transformer import TransformerModel

        return TransformerModel(entry, cache)
    from authbench.models.features import FeatureModel

    return FeatureModel(entry)
