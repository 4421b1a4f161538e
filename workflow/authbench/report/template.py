"""How do pages come from templates? Everything that is put in is escaped, and nothing that is missing passes."""

import jinja2

from authbench.shipped import shipped

TEMPLATES = shipped("templates")


def environment() -> jinja2.Environment:
    """Where the templates of workflow/report are, and how they are filled in."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
