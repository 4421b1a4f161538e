"""Link the pages of a run."""

INDEX = "index.html"  # below results/<name>/


def back_link(page: str) -> str:
    """Return the link from a page to the run's index.

    Args:
        page: the page's path below the run's folder.

    >>> back_link("pan/report/index.html")
    '../../index.html'
    """
    return "../" * page.count("/") + INDEX
