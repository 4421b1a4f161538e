"""Find the fields that the expressions of a source's entry read (authbench.build.ingest.fields computes them)."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypedDict

from authbench.config.registry.typed_schema import schema_of
from authbench.config.settings.values import Keywords, Pattern, Text, Texts
from authbench.core.json_values import JsonMapping

Expression = Annotated[str | JsonMapping, Keywords({"$ref": "#/$defs/expression"})]
FILE_FIELDS = frozenset({"path", "file_name"})
_NARROWING = ("pick", "count", "match", "map", "date")  # operations that leave a part of a value, or another value
_PLACE = re.compile(r"\{([^{}?]+)(\?)?\}")
_GROUP = re.compile(r"\(\?P<(\w+)>")


class Operations(TypedDict):
    """An expression other than a field's name (dots go into nested values): `field`, `const`, `compose` or `any`, and
    operations that are applied in this order. An absent or empty value stays absent.
    """

    field: Text
    const: str | float | bool | None
    compose: Text  # text with {field} in it; absent if one of them is. {field?} may be missing
    any: Annotated[list[Expression], Keywords(minItems=1)]  # the first that has a value
    split: Pattern  # makes a list of a text
    pick: int  # one element of a list, from 0; -1 is the last
    count: Literal[True]  # the length of a list
    join: str  # makes a text of a list
    match: Pattern  # the first group (or all) of the first match; absent without a match
    replace: Mapping[Pattern, str]  # patterns and what their matches become
    lower: Literal[True]
    translate: Mapping[Annotated[str, Keywords(minLength=1, maxLength=1, expected="one character")], str]
    map: Mapping[str, str | None]  # theirs: ours; "*" for all others, which otherwise have no value
    date: Text | Texts  # formats (as strptime, or unix, unix_ms), of which the first that fits gives YYYY-MM-DD
    hash: Literal[True]  # its SHA-256, where the value might reveal the author


def expression_schema() -> dict[str, object]:
    """Return the schema of an expression."""
    one_of = [{"required": [source]} for source in ("field", "const", "compose", "any")]
    return {"anyOf": [schema_of(Text), schema_of(Operations) | {"oneOf": one_of}]}


def template_parts(text: str) -> tuple[list[tuple[str, str, bool]], str]:
    """Return the parts (text before, field, whether it may be missing) of a composed value, and the text after them."""
    parts, end = [], 0
    for found in _PLACE.finditer(text):
        parts.append((text[end : found.start()], found[1], bool(found[2])))
        end = found.end()
    return parts, text[end:]


def names(expression: Expression) -> set[str]:
    """Return all fields an expression reads."""
    if isinstance(expression, str):
        return {expression}
    if "field" in expression:
        return {expression["field"]}
    if "compose" in expression:
        return {name for _, name, _ in template_parts(expression["compose"])[0]}
    return set().union(*(names(one) for one in expression.get("any", [])))


def shown_author(entry: JsonMapping) -> Iterator[str]:
    """Yield a problem for each of topic, author group and labels that would reveal the author of a text.

    That is an expression that passes on a field used for the author's label or name, or equals such an expression.
    """
    fields, author = entry["fields"], entry.get("author", {})
    derived = entry.get("derive", {})
    groups = set(_GROUP.findall(entry.get("path_fields") or ""))
    labels = [one for one in (fields["author"], author.get("name")) if one is not None]
    of_author = set().union(*(read_by(one, derived) for one in labels))
    if of_author & groups:
        of_author |= FILE_FIELDS
    others = {key: fields.get(key) for key in ("topic", "author_group")} | {
        f"labels.{key}": one for key, one in fields.get("labels", {}).items()
    }
    for key, expression in others.items():
        if expression is None:
            continue
        shown = sorted(_passed_on(expression, derived) & of_author)
        if shown or expression in labels:
            what = " and ".join(map(repr, shown)) or "the expression"
            yield (
                f"fields.{key}: shows {what}, of which the author's label is made, so that a release would name the "
                "author of each text. Take another field, or a part of this one by `match`."
            )


def read_by(expression: Expression, derived: Mapping[str, Expression]) -> set[str]:
    """Return the fields that an expression reads, and the fields from which they are derived."""
    found = names(expression)
    return found.union(*(read_by(derived[name], before(name, derived)) for name in found & derived.keys()))


def _passed_on(expression: Expression, derived: Mapping[str, Expression]) -> set[str]:
    """Return the fields whose values an expression returns unchanged, reformatted or combined."""
    if isinstance(expression, str):
        own = _passed_on(derived[expression], before(expression, derived)) if expression in derived else set()
        return {expression} | own
    if any(operation in expression for operation in _NARROWING):
        return set()
    parts = expression["any"] if "any" in expression else names(expression)
    return set().union(*(_passed_on(one, derived) for one in parts))


def before(name: str, derived: Mapping[str, Expression]) -> dict[str, Expression]:
    """Return the derived fields that are computed before this field, the only derived fields it can read."""
    order = list(derived)
    return {one: derived[one] for one in order[: order.index(name)]}
