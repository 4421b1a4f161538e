"""Unify marks of an edition: typography chosen by a publisher, which is not the author's style.

In edited texts, spacing around punctuation, forms of quotation marks, dashes and ellipses, and line numbering vary by
edition; they are unified. Punctuation of pre-modern Arabic is entirely the editor's and is removed. Unedited texts are
never changed.
"""

import re

import regex

QUOTES = dict.fromkeys("«»„“”‟〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›`´", "'")
PLACEHOLDER = r"\[[A-Z]{3,8}\]"  # [NAME] and the placeholders of personal data
ARABIC = regex.compile(rf"({PLACEHOLDER})|[\p{{P}}\p{{S}}]+")
ANY = ("",)
# Pattern, replacement, and strings of which every text with a match contains at least one.
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
        (r"^[-–—*]? ?(\d{1,3}|[IVXLC]{1,7}) ?[-–—*]?$", r"\1.", ANY),  # a line with only a number
    )
)
SPACES: _Step = (re.compile(" {2,}"), " ", ("  ",))
ENDS: _Step = (re.compile(r"^ +| +$", re.MULTILINE), "", (" \n", "\n "))  # of lines within a text


def unify(text: str, lang: str) -> str:
    """Return a normalised edited text with publisher's choices unified; it may be empty.

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
