"""Repositories packed from the real trees come whole, every file where a build reads it."""

from functools import partial
from pathlib import Path

import pytest
from loopback_hosts import Host, archive, serving
from shared_folders import DATA, skip_without_corpus
from shipped_sources import shipped_sources

from authbench.build.acquire import WAYS, acquire_source, github
from authbench.build.acquire.offers import pieces

MOST_FILES, MOST_BYTES = 100, 1 << 22  # of a tree, the longest names first; one file may have more
PINNED = {
    tag: source
    for tag, source in shipped_sources().items()
    if source.acquire.fetch and source.acquire.origin == "github"
}


def repository_path(pattern, name):
    """Return the path of a file of a sample in a repository whose files fit the pattern; folders may differ."""
    folder, *_ = (*Path(name).parts[:-1], "any")
    places = [part.replace("**", "").replace("*", folder) for part in pattern.split("/")[:-1]]
    return "/".join([*filter(None, places), Path(name).name])


def laid_out(source):
    """Return what stands in a sample's folder as its repositories have it: by repository, by path."""
    folder = DATA / source.files.folder
    longest = sorted(source.files.below(DATA), key=lambda name: (-len(name.encode()), name))
    there, left = [], MOST_BYTES
    for name in longest[:MOST_FILES]:
        left -= (folder / name).stat().st_size
        if left > 0 or not there:
            there.append(name)
    trees = {piece.name: {} for piece in pieces(source)}
    for number, name in enumerate(there):
        of_piece = {}
        for piece in pieces(source):
            paths = [name.removeprefix(f"{piece.into}/"), *(repository_path(one, name) for one in piece.files)]
            if name.startswith(piece.into) and (fitting := list(filter(piece.asks_for, paths))):
                of_piece[piece.name] = fitting[0]
        if of_piece:
            repository = sorted(of_piece)[number % len(of_piece)]
            trees[repository][of_piece[repository]] = (folder / name).read_bytes()
    return trees


@pytest.mark.parametrize("tag", sorted(PINNED))
def test_a_pinned_source_comes_from_archives_of_its_real_trees(tag, tmp_path):
    source = PINNED[tag]
    trees = laid_out(source) if (DATA / source.files.folder).is_dir() else {}
    if not trees or not all(trees.values()):
        skip_without_corpus(f"files of {tag}")
    with serving(Host()) as host:
        for piece in pieces(source):
            host.files[f"/{piece.name}/tar.gz/{piece.revision}"] = archive(trees[piece.name])
        said = acquire_source(
            source, tmp_path / "raw", ways={**WAYS, "github": partial(github.look, archives=host.url)}
        )
    assert "fetched and verified" in said
    expected = {piece.place(path): body for piece in pieces(source) for path, body in trees[piece.name].items()}
    come = tmp_path / "raw" / source.files.folder
    assert set(source.files.below(tmp_path / "raw")) == set(expected)
    assert all((come / path).read_bytes() == body for path, body in expected.items())
