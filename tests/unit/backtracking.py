"""Steps of a backtracking engine, counted: what grows faster than the text shows in small texts already.

A pattern is parsed by Python and matched by a plain backtracking search that counts each try of a part of the pattern
at a place of the text. Bounded repetitions are cut short, as they cost a factor only. Texts to try are made of the
pattern: each repetition many times, after what stands before it.
"""

import re
from itertools import islice
from re import _constants as codes
from re import _parser

MOST_REPEATED = 4  # of a bounded repetition
LENGTH = 80  # of a text; the one to compare it with is twice as long
FEW = 400  # steps: of fewer, growth tells nothing
MOST = 100  # steps for each character of a text, beside some thousands: a search with more is stopped
PROPERTIES = {
    "Arabic": "ء-ي",
    "Han": "一-龥",
    "Hiragana": "ぁ-ん",
    "Katakana": "ァ-ン",
    "Hangul": "가-힣",
    "M": "\u0301-\u0303",
}
LETTERS = "A-Za-zа-яء-ي"
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
CATEGORIES = {
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    codes.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    codes.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    codes.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}
SIGNS = " \n\ta1.,;:-'\"@#%|/\\_(){}[]<>*+=?!&~$^A\u3000\u0301一ぁﾊءя。！：［］《》"


class TooManySteps(Exception):
    """The search took more steps than it may."""


class Search:
    """A search for a pattern in a text; `steps` are those that it took."""

    def __init__(self, tree, text, most):
        self.tree, self.text, self.most, self.steps = tree, text, most, 0
        self.by_line = bool(getattr(tree, "state", None) and tree.state.flags & re.MULTILINE)

    def run(self):
        """Return the steps that it takes to find all matches."""
        place = 0
        while place <= len(self.text):
            end = next(self._ends(self.tree, 0, place), None)
            place = max(end, place + 1) if end is not None else place + 1
        return self.steps

    def _ends(self, parts, at, place):
        if at == len(parts):
            yield place
            return
        self.steps += 1
        if self.steps > self.most:
            raise TooManySteps
        for end in self._of_part(*parts[at], place):
            yield from self._ends(parts, at + 1, end)

    def _of_part(self, code, value, place):
        if code in REPEATS:
            low, high, body = value
            low, high = min(low, MOST_REPEATED), high if high is codes.MAXREPEAT else min(high, MOST_REPEATED)
            ends = self._repeated(body, low, high, 0, place, lazy=code is codes.MIN_REPEAT)
            yield from islice(ends, 1) if code is codes.POSSESSIVE_REPEAT else ends
        elif code is codes.SUBPATTERN:
            yield from self._ends(value[3], 0, place)
        elif code is codes.ATOMIC_GROUP:
            yield from islice(self._ends(value, 0, place), 1)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from self._ends(branch, 0, place)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            if self._holds(*value, place) is (code is codes.ASSERT):
                yield place
        elif code is codes.AT:
            if self._at(value, place):
                yield place
        elif place < len(self.text) and fits(code, value, self.text[place]):
            yield place + 1

    def _repeated(self, body, low, high, count, place, lazy):
        if lazy and count >= low:
            yield place
        if count < high:
            for end in self._ends(body, 0, place):
                if end > place:
                    yield from self._repeated(body, low, high, count + 1, end, lazy)
        if not lazy and count >= low:
            yield place

    def _holds(self, direction, body, place):
        if direction > 0:
            return next(self._ends(body, 0, place), None) is not None
        starts = range(place, max(place - 2 * MOST_REPEATED, 0) - 1, -1)
        return any(place in self._ends(body, 0, start) for start in starts)

    def _at(self, code, place):
        text = self.text
        if code in (codes.AT_BEGINNING_STRING, codes.AT_END_STRING):
            return place == (0 if code is codes.AT_BEGINNING_STRING else len(text))
        if code is codes.AT_BEGINNING:
            return place == 0 or (self.by_line and text[place - 1] == "\n")
        if code is codes.AT_END:
            return place == len(text) or (self.by_line and text[place] == "\n") or text[place:] == "\n"
        beside = [0 <= here < len(text) and (text[here].isalnum() or text[here] == "_") for here in (place - 1, place)]
        return (beside[0] != beside[1]) is (code is codes.AT_BOUNDARY)


def steps(tree, text):
    """Return the steps of finding all matches in a text. Raises TooManySteps."""
    return Search(tree, text, 5_000 + MOST * len(text)).run()


def fits(code, value, sign):
    if code is codes.LITERAL:
        return ord(sign) == value
    if code is codes.NOT_LITERAL:
        return ord(sign) != value
    if code is codes.ANY:
        return sign != "\n"
    if code is codes.RANGE:
        return value[0] <= ord(sign) <= value[1]
    if code is codes.CATEGORY:
        return CATEGORIES[value](sign)
    assert code is codes.IN, code
    negated = value[0][0] is codes.NEGATE
    return any(fits(*one, sign) for one in value[negated:]) is not negated


def parsed(pattern):
    """Return the tree of a pattern of `regex`: its properties become ranges, `{{field}}` a word."""
    plain = re.sub(r"\{\{[^{}]+\}\}", "Word", pattern).replace(r"\G", r"\A").replace("(?r)", "")

    def ranges(found):
        inside = plain.rfind("[", 0, found.start()) > plain.rfind("]", 0, found.start())
        some = PROPERTIES.get(found[1], LETTERS)
        return some if inside else f"[{some}]"

    plain = plain.replace(r"\P{L}", f"[^{LETTERS}]")
    return _parser.parse(re.sub(r"\\[pP]\{(\w+)\}", ranges, plain))


def sample(parts):
    """Return a text that fits, as a rule."""
    made = ""
    for code, value in parts:
        if code in REPEATS:
            made += sample(value[2]) * min(max(value[0], 1), MOST_REPEATED)
        elif code is codes.SUBPATTERN:
            made += sample(value[3])
        elif code is codes.ATOMIC_GROUP:
            made += sample(value)
        elif code is codes.BRANCH:
            made += sample(value[1][0])
        elif code is codes.LITERAL:
            made += chr(value)
        elif code not in (codes.AT, codes.ASSERT, codes.ASSERT_NOT, codes.GROUPREF):
            made += next((sign for sign in SIGNS if fits(code, value, sign)), "")
    return made


def attacks(tree, before=""):
    """Yield pairs of a beginning and a unit to repeat after it, for each unbounded repetition in the pattern."""
    for at, (code, value) in enumerate(tree):
        here = before + sample(tree.data[:at] if hasattr(tree, "data") else tree[:at])
        if code in REPEATS:
            yield from attacks(value[2], here)
            if value[1] is codes.MAXREPEAT:
                for unit in {sample(value[2]), *(sign for sign in " \n-a1" if _starts(value[2], sign))} - {""}:
                    yield here, unit
                    yield "", unit
                    yield "", here + unit
        elif code is codes.SUBPATTERN:
            yield from attacks(value[3], here)
        elif code is codes.ATOMIC_GROUP:
            yield from attacks(value, here)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from attacks(branch, here)


def _starts(body, sign):
    return next(Search(body, sign, 100)._ends(body, 0, 0), None) == 1


def growth(pattern):
    """Return how many times more steps a text of twice the length takes, at worst, and the beginning and unit of it."""
    tree = parsed(pattern)
    rest = sample(tree.data)
    worst = (0.0, "")
    for before, unit in sorted(set(attacks(tree))):
        for after in ("\0", rest[-1:] + "\0"):
            units = min(max(LENGTH // len(unit), 5), 24)
            try:
                counts = [steps(tree, before + unit * count + after) for count in (units, 2 * units)]
                times = counts[1] / counts[0] if counts[1] > FEW else 0.0
            except (TooManySteps, RecursionError):
                times = float("inf")
            worst = max(worst, (times, f"{before!r} + {unit!r} * n + {after!r}"))
    return worst
