"""What PAN's verification task takes for granted."""

from authbench.format.columns import POOLS

YEARS = (2020, 2021, 2024, 2025)  # of the evaluators that are followed
BY_TOPIC = ("open", "closed")
SETTINGS = (*BY_TOPIC, *POOLS)
PER_AUTHOR = 10  # pairs by one author at most
