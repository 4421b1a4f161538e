"""Make workbooks (.xlsx) of text, a list of rows for each sheet."""

import io
import zipfile

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
OF = 'xmlns="http://schemas.openxmlformats.org/{}"'
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def workbook(*sheets, cells=""):
    """Return a workbook; `cells` are further rows of the first sheet, in XML."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    related = "".join(
        f'<Relationship Id="r{n}" Type="{RELATION}/worksheet" Target="worksheets/{n}.xml"/>' for n in numbers
    )
    main = OF.format("spreadsheetml/2006/main")
    office = f'<Relationship Id="r0" Type="{RELATION}/officeDocument" Target="xl/workbook.xml"/>'
    relations = OF.format("package/2006/relationships")
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", f"{HEAD}<Relationships {relations}>{office}</Relationships>")
        archive.writestr("xl/_rels/workbook.xml.rels", f"{HEAD}<Relationships {relations}>{related}</Relationships>")
        sheets_of = f"<sheets>{listed}</sheets>"
        archive.writestr("xl/workbook.xml", f'{HEAD}<workbook {main} xmlns:r="{RELATION}">{sheets_of}</workbook>')
        for n, rows in zip(numbers, sheets, strict=True):
            filled = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows) + (cells if n == 1 else "")
            data = f"<sheetData>{filled}</sheetData>"
            archive.writestr(f"xl/worksheets/{n}.xml", f"{HEAD}<worksheet {main}>{data}</worksheet>")
    return stored.getvalue()


def _cell(text):
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
