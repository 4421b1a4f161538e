"""Raw files, written and ingested: what the stage gives, and that it adds up."""

import hashlib
from collections import Counter

import polars as pl
from defaults import section

from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.source import ingest_source
from authbench.config.registry.source_entry import make_extraction
from authbench.core.records import INGESTED
from authbench.core.storage.parquet import read_between
from authbench.core.storage.raw_paths import match_files


class Ingested:
    def __init__(self, folder, files, mapping, **how):
        folder.mkdir(exist_ok=True)
        raw = folder / "raw"
        self.out = out = how.pop("out", folder / f"out{len(list(folder.iterdir()))}")
        for name, content in files.items():
            (raw / name).parent.mkdir(parents=True, exist_ok=True)
            (raw / name).write_bytes(content.encode() if isinstance(content, str) else content)
        names = match_files(raw, mapping["files"])
        if how.pop("backwards", False):
            names.reverse()
        digests = {name: hashlib.sha256((raw / name).read_bytes()).hexdigest() for name in names}
        numbers, of_file = range(1, how.pop("shards", 2) + 1), how.pop("shards_of_file", 1)
        shards = [out / f"{(number - 1) // of_file}.parquet" for number in numbers]
        naming = Naming(how.pop("author_key", None), how.pop("aliases", {}), how.pop("own_name", "keep") == "mask")
        settings = section("ingest", **how)
        removed = out / "removed.parquet"
        self.result = ingest_source("demo", make_extraction(mapping), raw, digests, shards, removed, settings, naming)
        self.shards = [
            pl.concat([INGESTED.to_frame(), *read_between([path], "shard", number, number)])
            for number, path in zip(numbers, shards, strict=True)
        ]
        self.records = pl.concat(self.shards).sort("doc_key")
        self.removed = pl.read_parquet(out / "removed.parquet")
        counts = self.result["sources"]["demo"]
        assert counts["in"] == counts["kept"] + sum(counts["dropped"].values())
        assert counts["kept"] == self.records.height
        assert counts["dropped"] == dict(Counter(self.removed["reason"].to_list()))

    def reasons(self):
        return dict(self.result["sources"]["demo"]["dropped"])
