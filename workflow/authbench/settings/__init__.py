"""Types of the sections of a checked configuration, one module each; what a setting means stands in config.yaml.

They are what workflow/schemas/config.schema.yaml states (tests/unit/test_settings.py). The modules hold types alone.
"""
