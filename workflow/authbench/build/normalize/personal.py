"""Mask personal data in a text.

A placeholder is an upper-case word in square brackets. It resembles no HTML tag, handle or address, so no other step
changes it, and neither does normalisation. Phone numbers are recognised by their formats in the ten languages, or by a
word such as `Tel.` before any seven or more digits; other long numbers are kept.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial

import regex

Finder = Callable[[str], tuple[str, int]]
PLACEHOLDERS = {"url": "[URL]", "email": "[EMAIL]", "phone": "[PHONE]", "handle": "[HANDLE]"}

# No pattern matches a square bracket, so no match crosses a placeholder; repetitions are bounded or possessive.
URL_CHARACTER = (
    r"[A-Za-z0-9\-._~:/?\#@!$&'()*+,;=%|{}\u00c0-\u060b\u060d-\u061a\u0620-\u06d3\u06d5-\u0963\u0966-\u1fff]"
)
URL_END = r"(?<![.,;:!?'()*])"
TOP_LEVEL = (
    "com|org|net|edu|gov|info|biz|io|co|me|ly|be|gl|gd|app|dev|blog|news|tv|cc|cn|jp|kr|ru|su|de|fr|es|uk|us|in|eu"
    "|at|ch|it|nl|pl|pt|br|mx|ar|cl|ca|au|hk|tw|sa|ae|eg|ma"
)
URL = re.compile(
    rf"""(?<![A-Za-z0-9])(?:https?|ftps?)://{URL_CHARACTER}+{URL_END}
       | (?<![A-Za-z0-9.@-])www\.{URL_CHARACTER}+{URL_END}
       | (?<![A-Za-z0-9.@_-])(?:[A-Za-z0-9][A-Za-z0-9-]{{0,62}}+\.){{1,4}}(?:{TOP_LEVEL})/{URL_CHARACTER}*{URL_END}""",
    re.VERBOSE | re.IGNORECASE,
)
AT_SIGN = "[@＠]"
URL_SIGN = r"://|\.[A-Za-zİıſ\u212a]{2,4}/|[Ww]{3}\."

EMAIL = re.compile(
    r"(?<![A-Za-z0-9_%+-])[A-Za-z0-9_][A-Za-z0-9._%+-]{0,63}[@＠](?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\.){1,4}[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9])"
)

# Names in Latin letters end with the last Latin letter (Japanese and Korean suffixes follow without a space). Names in
# other scripts (Weibo) end at the first space or punctuation mark. Names may follow each other without a space.
HANDLE = regex.compile(
    r"(?:\G|(?<![A-Za-z0-9_@＠.+-]))[@＠](?!\d+(?:[ap]m|h|Uhr)?\b)(?=_*+[\p{L}\p{N}])"
    r"(?:[A-Za-z0-9_]++(?:[.-][A-Za-z0-9_]++)*+(?! ?\{)"
    r"|(?<!\p{Hangul}.)(?![\u3131-\u318e])[^\W0-9A-Za-z][\p{L}\p{M}\p{N}_-]{0,29}+)"
)

# Masking may expose an adjacent match: of adjacent numbers, as many as this are found.
MOST_PASSES = 20

SEPARATOR = r"[ .\-\u2010-\u2013\u2212\uff0d]"
BEFORE = r"(?<![A-Za-z0-9_\d+.,:/#№$€£¥=\-\u2010-\u2013])"
AFTER = r"(?!\d)(?![\-.,/:]\d)(?![A-Za-z_%€$])"
SHAPES = [
    rf"(?<![A-Za-z0-9_\d])[+＋]\(?[1-9]\d{{0,2}}+\)?"
    rf"(?:[ ./\-\u2010-\u2013\uff0d]{{0,2}}\(?\d{{1,12}}+\)?){{1,6}}+{AFTER}",
    rf"{BEFORE}00[1-9]\d{{0,2}}(?:[ ./-]{{1,2}}\(?\d{{1,12}}+\)?){{1,6}}+{AFTER}",
    rf"{BEFORE}(?:1{SEPARATOR})?(?:\(\d{{3}}\) ?|[2-9]\d\d{SEPARATOR})[2-9]\d\d{SEPARATOR}\d{{4}}{AFTER}",
    rf"{BEFORE}8{SEPARATOR}?\(?\d{{3,5}}\)?{SEPARATOR}?\d{{1,3}}{SEPARATOR}\d\d{SEPARATOR}\d\d{AFTER}",
    rf"{BEFORE}1[3-9]\d{SEPARATOR}\d{{4}}{SEPARATOR}\d{{4}}{AFTER}",
    rf"{BEFORE}(?:[67]\d\d{SEPARATOR}\d\d|9\d{SEPARATOR}\d\d\d){SEPARATOR}\d\d{SEPARATOR}\d\d{AFTER}",
    rf"{BEFORE}\(?[0０٠۰०](?![0０٠۰०])\d{{1,4}}+\)?[ ./\-\u2010-\u2013\uff0d(]{{0,3}}\d{{1,9}}+"
    rf"(?:[ .\-\u2010-\u2013\uff0d)]\d{{2,4}}+){{0,4}}+{AFTER}",
    rf"{BEFORE}[0０](?:1[016789]|[789][0０])\d{{8}}{AFTER}",
]
SHAPE = re.compile("|".join(SHAPES))
WORDS = (
    "tel tél telefon telefono teléfono telephone téléphone phone mobile mobil móvil movil portable handy cell fax"
    " whatsapp тел телефон моб факс 电话 電話 手机 手機 热线 微信 携帯 هاتف تلفون جوال موبايل واتساب फ़ोन फोन मोबाइल"
    " दूरभाष व्हाट्सएप 전화 휴대폰 핸드폰 연락처 ☎ 📞 📱"
)
NUMBER_WORDS = "number no nr número numéro nummer номер 号码 番号 号 번호 नंबर رقم"


def either(words: str) -> str:
    longest_first = sorted(words.split(), key=lambda word: (-len(word), word))
    return "|".join(re.escape(unicodedata.normalize("NFC", word)) for word in longest_first)


ANNOUNCED = re.compile(
    rf"(?<![A-Za-zÀ-ÿа-яё])((?:{either(WORDS)})(?: ?(?:{either(NUMBER_WORDS)}))?[ :：.=–—-]{{0,4}})"
    rf"([+＋(]{{0,2}}\d(?:[ ().\-\u2010-\u2013\uff0d/]{{0,2}}\d){{6,14}}){AFTER}",
    re.IGNORECASE,
)
MANY_DIGITS = r"\d(?:[^\w\n\[\]]{0,4}\d){6}"  # no format has more than 4 characters between two digits
DIGIT = re.compile(r"\d")
DATE = re.compile(
    r"(?:\d{1,2}[-. /]){2}(?:1[5-9]|20)\d\d(?!\d)|(?:1[5-9]|20)\d\d[-. /]\d{1,2}[-. /]\d{1,2}(?!\d)"
    r"|\d{1,2}\.\d{1,2} ?[-–] ?\d{1,2}\.\d{1,2}"
)
DECIMAL = re.compile(r"[^.]*\d{3}\.\d\d\Z")


def mask(text: str, kinds: Collection[str]) -> tuple[str, dict[str, int]]:
    """Return the text with placeholders for these kinds of personal data (email, phone, handle, url), and counts.

    Masking is idempotent, and time is linear in the length of the text.

    >>> mask("write to ann@example.org or @ann", ["email", "handle"])
    ('write to [EMAIL] or [HANDLE]', {'email': 1, 'handle': 1})
    """
    counts: dict[str, int] = {}
    finders = {kind: (sign, find) for kind, (sign, find) in FINDERS.items() if kind in kinds and sign.search(text)}
    if not finders:
        return text, counts
    signs = _any_of(tuple(finders))
    kept, position = [], 0
    while found := signs.search(text, position):
        start = text.rfind("\n", position, found.start()) + 1
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        kept += [text[position:start], _mask_line(text[start:end], finders, counts)]
        position = end
    return "".join([*kept, text[position:]]), counts


@cache
def _any_of(kinds: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the signs of these kinds; no sign crosses a line break."""
    return re.compile("|".join(FINDERS[kind][0].pattern for kind in kinds))


def _mask_line(line: str, finders: Mapping[str, tuple[re.Pattern[str], Finder]], counts: dict[str, int]) -> str:
    for _ in range(MOST_PASSES):
        before = line
        for kind, (sign, find) in finders.items():
            if sign.search(line):
                line, found = find(line)
                if found:
                    counts[kind] = counts.get(kind, 0) + found
        if line == before:
            break
    return line


def _mask_phones(text: str) -> tuple[str, int]:
    found: list[None] = []
    text = ANNOUNCED.sub(partial(_unless_date, found, 2), text)
    text = SHAPE.sub(partial(_unless_other_number, found), text)
    return text, len(found)


def _unless_date(found: list[None], group: int, match: re.Match[str]) -> str:
    if DATE.match(match[group]):
        return match[0]
    found.append(None)
    return match[0][: match.start(group) - match.start()] + PLACEHOLDERS["phone"]


def _unless_other_number(found: list[None], match: re.Match[str]) -> str:
    """Return the placeholder for a phone number: 9 to 12 digits in groups (ungrouped: 11), 8 to 15 if international."""
    number = match[0]
    digits = len(DIGIT.findall(number))
    bare = digits == len(number)
    international = number.startswith(("+", "＋", "00"))
    plausible = 8 <= digits <= 15 if international else 9 <= digits <= 12 and not (bare and digits != 11)
    if not plausible or DATE.match(number) or DECIMAL.match(number):
        return number
    found.append(None)
    return PLACEHOLDERS["phone"]


# In search order, each with a sign that every match contains.
FINDERS: dict[str, tuple[re.Pattern[str], Finder]] = {
    "url": (re.compile(URL_SIGN), partial(URL.subn, PLACEHOLDERS["url"])),
    "email": (re.compile(AT_SIGN), partial(EMAIL.subn, PLACEHOLDERS["email"])),
    "phone": (re.compile(MANY_DIGITS), _mask_phones),
    "handle": (re.compile(AT_SIGN), partial(HANDLE.subn, PLACEHOLDERS["handle"])),
}
# For polars, whose \w is wider: patterns that match wherever the sign of a kind occurs.
MAY_HOLD = {"url": URL_SIGN, "email": AT_SIGN, "phone": r"\d(?:[^\d\n]{0,4}\d){6}", "handle": AT_SIGN}
