"""Read records of the Blog Authorship Corpus.

There is a file per blogger (`<id>.<gender>.<age>.<job>.<sign>.xml`), in which dates and posts alternate. Most files
are not XML (bare `&`, undefined entities, control characters), so the tags `Blog`, `date` and `post` are searched as
text, and the text between them is unchanged.
"""

import re
from collections.abc import Iterator
from datetime import date

from authbench.config.registry.readers import BlogXmlReader
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.plain_text import marked_text
from authbench.release.reading.rows import BadRow, Block, Row, Wanted, counting, in_blocks
from authbench.release.reading.units import Units

ENTRY = re.compile(r"\s*<date>(?P<date>[^<]*)</date>\s*<post>")
OPENING = re.compile(r"\s*<Blog>")
CLOSING = re.compile(r"\s*(?:</Blog>\s*)?")
SPACE = re.compile(r"\s*")
POST = "<post>"
NEXT_ENTRY = re.compile(r"<date>")

# January to December as written by blogging software: English, Spanish, French, German, Dutch, Italian, Portuguese,
# Swedish, Danish, Norwegian, Finnish, Polish, Indonesian and Malay, Catalan, Turkish.
MONTHS = (
    "january enero janvier januar januari gennaio janeiro tammikuu styczeń stycznia gener ocak",
    "february febrero février februar februari febbraio fevereiro helmikuu luty lutego pebruari febrer şubat",
    "march marzo mars märz maart março marts maaliskuu marzec marca maret mac març mart",
    "april abril avril aprile huhtikuu kwiecień kwietnia nisan",
    "may mayo mai mei maggio maio maj toukokuu maja maig mayıs",
    "june junio juin juni giugno junho kesäkuu czerwiec czerwca jun juny haziran",
    "july julio juillet juli luglio julho heinäkuu lipiec lipca julai juliol temmuz",
    "august agosto août augustus augusti elokuu sierpień sierpnia agustus ogos agost ağustos",
    "september septiembre septembre settembre setembro syyskuu wrzesień września setembre eylül",
    "october octubre octobre oktober ottobre outubro lokakuu październik października oktober ekim",
    "november noviembre novembre marraskuu listopad listopada nopember kasım",
    "december diciembre décembre dezember dicembre dezembro joulukuu grudzień grudnia desember desembre aralık",
)
MONTH_NUMBERS = {name: number for number, names in enumerate(MONTHS, start=1) for name in names.split()}


@counting("posts")
def read(file: RawFile, options: BlogXmlReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield a record per post, including empty posts: `post`, `date` (ISO, null if invalid), `written_date`, `ordinal`.

    Anything other than a date with its post (an unclosed post, text outside) is a bad row with its position.
    """
    text = marked_text(file, options.encoding)
    if isinstance(text, BadRow):
        yield from in_blocks([(text, 0)], units)
        return
    units.found += text.count(POST)
    yield from in_blocks((row, 0) for row in posts(text, units))


def posts(text: str, units: Units) -> Iterator[Row | BadRow]:
    """Yield the posts of a blog, and bad rows for the rest."""
    opening = OPENING.match(text)
    position = opening.end() if opening else 0
    ordinal, end = 0, 0
    line, counted = 1, 0
    while not CLOSING.fullmatch(text, position):
        entry = ENTRY.match(text, position)
        if entry and 0 <= end < entry.end():
            end = text.find("</post>", entry.end())
        if entry and end >= 0 and text.find(POST, entry.end(), end) < 0:
            post = text[entry.end() : end].strip()
            yield {"date": iso_date(entry["date"]), "written_date": entry["date"], "post": post, "ordinal": ordinal}
            ordinal, position = ordinal + 1, end + len("</post>")
            units.records += 1
            continue
        here = SPACE.match(text, position).end()  # type: ignore[union-attr]
        line, counted = line + text.count("\n", counted, here), here
        yield BadRow(f"line {line}", "neither a date with its post nor the end of the blog")
        following = NEXT_ENTRY.search(text, entry.end() if entry else position + 1)
        start, position = position, following.start() if following else len(text)
        units.bad += text.count(POST, start, position)


def iso_date(written: str) -> str | None:
    """Return the date of a post as `YYYY-MM-DD`; null if day, month or year is missing or invalid.

    >>> iso_date("31,janvier,2004"), iso_date("14,March,2004"), iso_date(",,")
    ('2004-01-31', '2004-03-14', None)
    """
    day, _, rest = written.partition(",")
    month, _, year = rest.partition(",")
    try:
        return date(int(year), MONTH_NUMBERS[month.strip().lower()], int(day)).isoformat()
    except (KeyError, ValueError, OverflowError):
        return None
