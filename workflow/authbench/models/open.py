"""Open the model of a config entry."""

from authbench.models import parameters
from authbench.models.entries import ModelEntry, expect_vectors
from authbench.models.model import Model, VectorCache


def open_model(entry: ModelEntry, cache: VectorCache | None = None) -> Model:
    """Return the model of an entry. Vectors that depend on single texts are cached if a cache is given.

    Raises:
        InputError: the kind of the entry embeds no text, or its function or file cannot be used.
    """
    if isinstance(entry.parameters, parameters.TransformerParameters):
        from authbench.models.transformer import TransformerModel

        return TransformerModel(entry, cache)
    if isinstance(entry.parameters, parameters.FunctionParameters):
        from authbench.models.function import FunctionModel

        return FunctionModel(entry, cache)
    if isinstance(entry.parameters, parameters.VectorsParameters):
        from authbench.models.given_vectors import GivenVectors

        return GivenVectors(entry)
    if isinstance(entry.parameters, parameters.CalibratedNgramsParameters | parameters.CrossEntropyParameters):
        from authbench.models.calibrated import CalibratedModel

        return CalibratedModel(entry)
    from authbench.models.features import SCORERS, FeatureModel

    if entry.kind not in SCORERS:
        expect_vectors(entry)

    return FeatureModel(entry)
