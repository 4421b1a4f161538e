"""Marks of an edition: how a publisher sets a text, which says nothing of its author.

In texts that somebody edited, spacing around punctuation, forms of quotation marks, dashes and ellipses, and the look
of numbers before lines differ from edition to edition: they get one form. Punctuation of pre-modern Arabic is the
editor's altogether and goes. What people typed themselves is never changed.
"""

import re

import regex

QUOTES = str.maketrans(dict.fromkeys("«»„“”‟〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›`´", "'"))
PLACEHOLDER = r"\[[A-Z]{3,8}\]"  # [NAME] and those of personal data
ARABIC = regex.compile(rf"({PLACEHOLDER})|[\p{{P}}\p{{S}}]+")
INSIDE = re.compile(r"(?<=[«„‹]) +(?=\S)|(?<=\S) +(?=[»›])")  # the spaces of « so »
STEPS = tuple(
    (re.compile(pattern, re.MULTILINE), plain)
    for pattern, plain in (
        (r"(?<=[^\s,.;:!?…(\[—-]) +(?=[,.;:!?…]+(?:[\s\"')\]]|$))", ""),  # so ! and so ;
        (r"(?<=[(\[]) +(?=\S)|(?<=\S) +(?=[)\]])", ""),
        (r"\.(?: ?\.){2,}", "…"),
        (r"-{2,}|―", "—"),
        (r"^[-–—] ?(?=\S)", "— "),
        (r"(?<=\S) [-–—] (?=\S)", " — "),
        (r"^[(\[]?(\d{1,3}|[IVXLC]{1,7})[)\].:]{1,2}(?= |$)", r"\1."),  # (1), 1), 1: and 1.
        (r"^[-–—*]? ?(\d{1,3}|[IVXLC]{1,7}) ?[-–—*]?$", r"\1."),  # a number alone on a line
    )
)
SPACES, ENDS = re.compile(" {2,}"), re.compile(r"^ +| +$", re.MULTILINE)


def unify(text: str, lang: str) -> str:
    """Return a normal text of an edition without what its publisher may have chosen; it may be empty.

    >>> unify("« Tiens ! » dit-il . . . -- Non ;", "fr")
    '"Tiens!" dit-il… — Non;'
    >>> unify("قفا، نبك: [NAME] !", "ar")
    'قفا نبك [NAME]'
    """
    if lang == "ar":
        text = ARABIC.sub(r"\1 ", text)
    else:
        text = INSIDE.sub("", text).translate(QUOTES)
        for pattern, plain in STEPS:
            text = pattern.sub(plain, text)
    return ENDS.sub("", SPACES.sub(" ", text)).strip()
