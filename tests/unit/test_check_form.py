"""Every table of a release has the columns that the format declares; any other is a broken claim and ends the check."""

import os
import shutil

import polars as pl
import pytest
from sound_release import write_sound

from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_foreign_json, write_plain_json
from authbench.core.storage.sha256sums import write_sums
from authbench.release.checking import check_release
from authbench.release.checking.form import check_form
from authbench.release.format.columns import PAIR_TABLES, PROVENANCE, UNKNOWN
from authbench.release.format.files import CSV_FILES
from authbench.release.format.release import open_release, read_deviation

PARQUET = {PROVENANCE.file: PROVENANCE} | {f"test/{table.file}": table for table in PAIR_TABLES.values()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    write_sound(folder)
    return folder


def without(file, sound, place):
    """A copy of the release, of links, in which a file is to be written."""
    folder = shutil.copytree(sound, place / "release", copy_function=os.link)
    (folder / file).unlink()
    return folder


def other_type(name, dtype):
    return pl.lit(7, pl.Int64).alias(name) if dtype == pl.String else pl.col(name).cast(pl.String)


def as_number(name, dtype):
    return pl.col(name).cast(pl.Float64 if dtype.is_integer() or dtype == pl.Boolean else pl.Int64, strict=False)


def edits_of_parquet():
    for file, table in PARQUET.items():
        for column in table.columns:
            if column.setting is None:
                name, dtype = column.name, column.dtype
                if not column.later:
                    yield file, f"{name} dropped", lambda rows, name=name: rows.drop(name)
                yield file, f"{name} of another type", lambda rows, n=name, d=dtype: rows.with_columns(other_type(n, d))
                if dtype != pl.String:
                    yield (
                        file,
                        f"{name} of a like type",
                        lambda rows, n=name, d=dtype: rows.with_columns(as_number(n, d)),
                    )
                if column.required:
                    none = pl.lit(None, dtype).alias(name)
                    yield file, f"{name} null", lambda rows, none=none: rows.with_columns(none)
        yield file, "one more of text", lambda rows: rows.with_columns(more=pl.lit("Jane Roe"))
        yield file, "one more of numbers", lambda rows: rows.with_columns(more=7)
    for column in PROVENANCE.columns:
        if column.setting:
            yield (
                PROVENANCE.file,
                f"{column.name} against the settings",
                lambda rows, name=column.name: rows.with_columns(pl.lit(None, pl.String).alias(name)),
            )


def edits_of_csv():
    for file, schema in CSV_FILES.items():
        for name, dtype in schema.items():
            yield file, f"{name} dropped", lambda rows, name=name: rows.drop(name)
            if dtype != pl.String:
                yield (
                    file,
                    f"{name} of another type",
                    lambda rows, name=name: rows.with_columns(pl.lit("x").alias(name)),
                )
            if name not in UNKNOWN:
                none = pl.lit(None).alias(name)
                yield file, f"{name} empty", lambda rows, none=none: rows.with_columns(none)
        yield file, "one more", lambda rows: rows.with_columns(more=pl.lit("Jane Roe"))


@pytest.mark.parametrize(("file", "edit"), [pytest.param(f, e, id=f"{f}: {n}") for f, n, e in edits_of_parquet()])
def test_a_column_in_parquet_that_is_not_as_declared_is_named(sound, tmp_path, file, edit):
    folder = without(file, sound, tmp_path)
    edit(pl.read_parquet(sound / file)).write_parquet(folder / file)
    assert {(found.code, found.id) for found in check_form(open_release(folder))} == {("schema", file)}


@pytest.mark.parametrize(("file", "edit"), [pytest.param(f, e, id=f"{f}: {n}") for f, n, e in edits_of_csv()])
def test_a_column_in_csv_that_is_not_as_declared_is_named(sound, tmp_path, file, edit):
    folder = without(file, sound, tmp_path)
    edit(pl.read_csv(sound / file, infer_schema=False)).write_csv(folder / file)
    found = list(check_form(open_release(folder)))
    assert found and {one.code for one in found} == {"schema"}
    assert {one.id.partition(":")[0] for one in found} == {file}


def test_a_sound_release_has_the_declared_form(sound):
    assert list(check_form(open_release(sound))) == []


def test_tables_of_another_form_are_read_no_further(sound, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "release")
    pl.read_parquet(folder / PROVENANCE.file).drop("tier", "scored").write_parquet(folder / PROVENANCE.file)
    write_sums(folder)
    assert [(found.code, found.ids) for found in check_release(folder)] == [("schema", (PROVENANCE.file,))]


@pytest.mark.parametrize("place", ["documents", "languages", "cells", "bound", "fallback_authors"])
@pytest.mark.parametrize("edit", ["drop", "retype", "within"])
def test_a_deviation_that_is_not_in_its_form_is_refused(sound, tmp_path, place, edit):
    path = tmp_path / "sampling_deviation.json"
    stated = read_foreign_json(sound / path.name)
    if edit == "drop":
        del stated[place]
    elif edit == "retype" or not isinstance(stated[place], dict | list):
        stated[place] = "some"
    else:
        row = stated[place] if isinstance(stated[place], dict) else stated[place][0]
        row.popitem()
    write_plain_json(path, stated)
    with pytest.raises(InputError, match=place):
        read_deviation(tmp_path)
