"""Undo HTML entities and tags.

A pass drops comments, the contents of script and style elements, and HTML tags (other angle brackets, as in `<3` or
`<grin>`, are kept), then decodes entities. Doubly escaped text needs two passes. Every step is linear in the length of
the text.
"""

import html
import re

NAMES = {
    "\n\n": "p h1 h2 h3 h4 h5 h6 blockquote ul ol dl table pre hr article section",
    "\n": "br div li dt dd tr caption header footer main nav aside address figure figcaption form fieldset legend"
    " option title head body html center details summary",
    " ": "td th",
    "": "a abbr acronym applet area audio b base basefont bdi bdo big button canvas cite code col colgroup data"
    " datalist del dfn dialog dir em embed font frame frameset i iframe img input ins kbd label link map mark"
    " marquee menu meta meter nobr noframes noscript object optgroup output param picture progress q rp rt rtc"
    " ruby s samp script select slot small source span strike strong style sub sup svg template textarea tbody"
    " tfoot thead time track tt u var video wbr",
}
BETWEEN = {name: separator for separator, names in NAMES.items() for name in names.split()}  # replacement by tag

OPENING = re.compile(r"<!--|<(?=[A-Za-z/!?])")
TAG = re.compile(
    r"""<(?:/?([A-Za-z][A-Za-z0-9]*+(?::[A-Za-z0-9]++)?)(?=[\s/>])(?:[^<>"']|"[^"<]*+"|'[^'<]*+'|["'])*+>"""
    r"""|[!?][A-Za-z\[][^<>]*+>)"""
)
CLOSING = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("script", "style")}
LEADING_ZEROS = re.compile(r"&#0++(?=[0-9])")
BEYOND_UNICODE = re.compile(r"&#(?:[0-9]{8,}+|[xX]0*+[1-9A-Fa-f][0-9A-Fa-f]{6,}+);?")


def undo_html(text: str, times: int) -> str:
    """Return the text with `times` layers of HTML undone (0: unchanged).

    Block tags become line breaks, table cells spaces; other tags are deleted.

    >>> undo_html("a<br>b &lt;3 &amp;amp; c", 1)
    'a\\nb <3 &amp; c'
    """
    for _ in range(times):
        if "<" in text:
            text = _drop_tags(text)
        if "&" in text:
            text = LEADING_ZEROS.sub("&#", text)
            text = html.unescape(BEYOND_UNICODE.sub("\ufffd", text))
    return text


def _drop_tags(text: str) -> str:
    kept: list[str] = []
    unclosed: set[str] = set()
    position = 0
    while found := OPENING.search(text, position):
        start = found.start()
        kept.append(text[position:start])
        if found.group() == "<!--":
            end = -1 if "--" in unclosed else text.find("-->", start + 4)
            if end >= 0:
                position = end + 3
                continue
            unclosed.add("--")
        tag = TAG.match(text, start)
        name = (tag[1] or "").lower() if tag else ""
        if tag is None or not (name in BETWEEN or ":" in name or not name):
            kept.append("<")
            position = start + 1
            continue
        kept.append(BETWEEN.get(name, ""))
        position = tag.end()
        if name in CLOSING and not tag.group().startswith("</") and name not in unclosed:
            closing = CLOSING[name].search(text, position)
            if closing:
                position = closing.end()
            else:
                unclosed.add(name)
    kept.append(text[position:])
    return "".join(kept)
