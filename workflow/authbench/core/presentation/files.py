"""Write tables as files for readers."""

from pathlib import Path

from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.latex import as_latex
from authbench.core.presentation.tables import Table, as_markdown, broken_relations
from authbench.core.storage.atomic import write_text


def write_table(folder: Path, table: Table) -> None:
    """Write `<name>.csv`, `<name>.md` and `<name>.tex` into a folder.

    Raises:
        ArithmeticError: the table violates a relation between its columns.
    """
    if broken := broken_relations(table):
        raise ArithmeticError("; ".join(broken))
    write_text(folder / f"{table.name}.csv", as_csv(table.data))
    write_text(folder / f"{table.name}.md", as_markdown(table))
    write_text(folder / f"{table.name}.tex", as_latex(table))
