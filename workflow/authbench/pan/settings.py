"""Define constants of PAN's verification task."""

from authbench.format.columns import POOLS

YEARS = (2020, 2021, 2024, 2025)  # years of the reproduced evaluators
BY_TOPIC = ("open", "closed")
SETTINGS = (*BY_TOPIC, *POOLS)
PER_AUTHOR = 10  # maximum pairs per author
