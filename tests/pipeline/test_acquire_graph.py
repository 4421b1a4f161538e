"""`snakemake acquire` against a host on loopback: what comes, what stays, and how many at a time?"""

import json
import threading

from loopback_hosts import Host, serving
from source_page import source_page

from authbench.build.acquire.lock import lock_path, read_raw_lock

TAGS = ("letters", "notes", "posts")
MORE = 4.0  # seconds in which another download would have come


class Gate:
    """Holds the first requests until there are two, and another would have come; knows how many came at a time."""

    def __init__(self):
        self.here = set()
        self.most, self.opened = 0, False
        self.changed = threading.Condition()

    def __call__(self, path):
        with self.changed:
            self.here.add(path)
            self.most = max(self.most, len(self.here))
            self.changed.notify_all()
            if not self.opened:
                self.changed.wait_for(lambda: self.most >= 2, 600)
                self.changed.wait_for(lambda: self.most > 2, MORE)
            self.opened = True
            self.here.discard(path)


def page(tag, host):
    """The page of a source whose one file the host has."""
    files = [{"name": f"{host.url}/{tag}.csv"}]
    get = {"from": "url", "where": host.url, "how": "Put the file here.", "fetch": files}
    fields = {"text": "text", "author": "writer", "lang": {"const": "en"}, "genre": {"const": "news"}}
    return source_page(acquire=get, fields=fields, author={"kind": "person"})


def test_a_recipe_is_fetched_two_sources_at_a_time_locked_and_held_to_the_lock(fresh, tmp_path):
    project, raw = fresh.copy(tmp_path / "project", with_results=False), tmp_path / "raw {y}"
    recipe = project.recipe({"name": "letters", "sources": list(TAGS), "sample": {"languages": {"en": 100}}})
    asked = ("--cores", "4", "acquire", *recipe, "--config", f"raw_dir={raw}")
    with serving(Host({f"/{tag}.csv": f"writer,text\nann,{tag}\n".encode() for tag in TAGS})) as host:
        for tag in TAGS:
            (project.folder / f"config/sources/{tag}.yaml").write_text(json.dumps(page(tag, host)), encoding="utf-8")
        host.gate = gate = Gate()
        status, said = project.snakemake(*asked)
        assert status == 0, said
        assert gate.most == 2
        assert {path.name for path in raw.iterdir()} == set(TAGS)
        for tag, entry in read_raw_lock(lock_path(raw)).items():
            assert (raw / tag / f"{tag}.csv").read_bytes() == host.files[f"/{tag}.csv"]
            assert entry.files.keys() == {f"{tag}.csv"}
            assert f"{tag}: fetched and verified, 1 file" in said

        host.seen.clear()
        lock = lock_path(raw).read_bytes()
        status, said = project.snakemake(*asked)
        assert status == 0, said
        assert not host.seen
        assert all(f"{tag}: verified, 1 file" in said for tag in TAGS)

        (raw / "letters/letters.csv").write_text("another\n")
        (raw / "notes/notes.csv").unlink()
        host.files["/notes.csv"] += b"bob,new\n"
        status, said = project.snakemake(*asked, "--keep-going")
        assert status != 0
        assert "acquire_source letters: letters: letters.csv is not what was first fetched" in said
        assert "acquire_source notes: notes: notes.csv is not what was first fetched" in said
        assert "posts: verified, 1 file" in said
        assert "Traceback" not in said
        assert (raw / "letters/letters.csv").read_text() == "another\n"
        assert not (raw / "notes/notes.csv").exists()
        assert lock_path(raw).read_bytes() == lock
