"""Type the sections of a checked configuration, a module each; config.yaml has their defaults and meanings.

The schema of a configuration follows from them (`registry.typed_schema`): the type of a value, and the JSON Schema
keywords that `Annotated` adds. `expected` says in words what an invalid value should have been.
"""
