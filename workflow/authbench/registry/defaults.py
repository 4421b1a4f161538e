"""Read the default of every setting from config/config.yaml, the only place that states them."""

from functools import cache
from typing import cast

from authbench.registry.entries import read_yaml
from authbench.settings.config import Config
from authbench.shipped import shipped


@cache
def default_settings() -> Config:
    """Return all default settings; read only."""
    return cast(Config, read_yaml(shipped("config/config.yaml")))
