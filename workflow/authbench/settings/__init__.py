"""Types of the sections of a checked configuration, one module each; config.yaml has their defaults and meanings.

From them follows what a configuration may say (`registry.typed_schema`): the type of a value, and what `Annotated` adds
in keywords of JSON Schema. `expected` says in words what a value that does not fit should have been.
"""
