"""Charts of equal content, drawn once by a process of the tests: to draw them is most of what a small release costs."""

import re

_NOT_SAID_WHOLE = re.compile(r" at 0x|\barray\(|shape: \(|<\w")  # objects, arrays and tables, of which a part is shown


def remembering(draw):
    """Return a function that draws as `draw` does, and a chart of equal content no second time."""
    known = {}

    def drawn(chart):
        said = content(chart)
        if said is None:
            return draw(chart)
        if said not in known:
            known[said] = draw(chart)
        return known[said]

    return drawn


def content(chart):
    """Return in words all that a chart is drawn from, None where words do not tell it whole."""
    function = chart.draw
    said = repr((function.__defaults__, [cell.cell_contents for cell in function.__closure__ or ()]))
    place = (function.__module__, function.__qualname__, function.__code__.co_firstlineno)
    return None if _NOT_SAID_WHOLE.search(said) else f"{chart.name} {chart.height} {place} {said}"
