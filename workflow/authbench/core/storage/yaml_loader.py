"""Load YAML with the fastest safe loader available, and reject duplicate keys of a mapping."""

import yaml
from yaml.constructor import ConstructorError

_MERGE = "tag:yaml.org,2002:merge"


# Every job reads some YAML; libyaml, if PyYAML was built with it, takes a tenth of the time.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        """Return the mapping of a node; of duplicate keys, PyYAML's loader silently takes the last."""
        known = set[tuple[str, str]]()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                if (key.tag, key.value) in known:
                    raise ConstructorError(problem=f"the key '{key.value}' is there twice", problem_mark=key.start_mark)
                known.add((key.tag, key.value))
        mapping: dict[object, object] = super().construct_mapping(node, deep)
        return mapping


FAST_LOADER = _Loader
