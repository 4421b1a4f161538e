"""Marks of an edition: how a publisher sets a text, which says nothing of its author.

In texts that somebody edited, spacing around punctuation, forms of quotation marks, dashes and ellipses, and the look
of numbers before lines differ from edition to edition: they get one form. Punctuation of pre-modern Arabic is the
editor's altogether and goes. What people typed themselves is never changed.
"""

import re

import regex

QUOTES = dict.fromkeys("«»„“”‟〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›`´", "'")
PLACEHOLDER = r"\[[A-Z]{3,8}\]"  # [NAME] and those of personal data
ARABIC = regex.compile(rf"({PLACEHOLDER})|[\p{{P}}\p{{S}}]+")
ANY = ("",)
# What is looked for, what takes its place, and strings of which a text where it is found has one at least.
_Step = tuple[re.Pattern[str], str, tuple[str, ...]]
INSIDE: _Step = (re.compile(r"(?<=[«„‹]) +(?=\S)|(?<=\S) +(?=[»›])"), "", ("«", "„", "‹", "»", "›"))  # « so »
STEPS: tuple[_Step, ...] = tuple(
    (re.compile(pattern, re.MULTILINE), plain, hints)
    for pattern, plain, hints in (
        (
            r"(?<=[^\s,.;:!?…(\[—-]) +(?=[,.;:!?…]+(?:[\s\"')\]]|$))",  # so ! and so ;
            "",
            (" ,", " .", " ;", " :", " !", " ?", " …"),
        ),
        (r"(?<=[(\[]) +(?=\S)|(?<=\S) +(?=[)\]])", "", ("( ", "[ ", " )", " ]")),
        (r"\.(?: ?\.){2,}", "…", ("..", ". .")),
        (r"-{2,}|―", "—", ("--", "―")),
        (r"^[-–—] ?(?=\S)", "— ", ("-", "–", "—")),
        (r"(?<=\S) [-–—] (?=\S)", " — ", (" - ", " – ", " — ")),
        (r"^[(\[]?(\d{1,3}|[IVXLC]{1,7})[)\].:]{1,2}(?= |$)", r"\1.", ANY),  # (1), 1), 1: and 1.
        (r"^[-–—*]? ?(\d{1,3}|[IVXLC]{1,7}) ?[-–—*]?$", r"\1.", ANY),  # a number alone on a line
    )
)
SPACES: _Step = (re.compile(" {2,}"), " ", ("  ",))
ENDS: _Step = (re.compile(r"^ +| +$", re.MULTILINE), "", (" \n", "\n "))  # of lines inside a text


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
        text = _take(text, INSIDE)
        for mark, plain in QUOTES.items():
            text = text.replace(mark, plain)
        for step in STEPS:
            text = _take(text, step)
    return _take(_take(text, SPACES), ENDS).strip()


def _take(text: str, step: _Step) -> str:
    pattern, plain, hints = step
    return pattern.sub(plain, text) if any(hint in text for hint in hints) else text
