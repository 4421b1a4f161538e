"""Links between the pages of a run."""

INDEX = "index.html"  # below results/<name>/


def back_link(page: str) -> str:
    """Return the link from a page to the index of its run.

    Args:
        page: the path of the page below the folder of the run.

    >>> back_link("pan/report/index.html")
    '../../index.html'
    """
    return "../" * page.count("/") + INDEX
