"""Small datasets to audit, and what an audit found in them."""

import csv
import json
import random

WORDS = [
    *("stone", "river", "cloud", "paper", "garden", "winter", "candle", "orchard"),
    *("window", "thunder", "pebble", "lantern", "meadow", "harbour", "saddle"),
]


SHARED = " ".join(f"{WORDS[k % 15]} {WORDS[k * 7 % 15]} number {k}" for k in range(40))


def text(author, number, words=30):
    """Return a text that shares hardly a passage with any other."""
    draw = random.Random(f"{author} {number}")
    return " ".join(
        draw.choice(WORDS) + draw.choice("abcdefghijklmnop") + draw.choice("qrstuvwxyz") for _ in range(words)
    )


def rows(authors=6, each=3):
    return [
        {"id": f"t{author}-{number}", "author": f"writer {author}", "text": text(author, number), "split": "test"}
        for author in range(authors)
        for number in range(each)
    ]


def write_csv(path, table):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


def write_lines(path, table):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    return path


def ids_of(found, claim):
    [finding] = [one for one in found.findings if one.claim == claim]
    return finding.ids


def release(folder, table):
    """Write rows as a split in this format: the first text of each author asks for the others."""
    texts = [
        {"candidate_id": row["id"], "author_id": row["author"], "lang": "en", "genre": "blog", "content": row["text"],
         "source": "s", "token_length": 5} for row in table
    ]  # fmt: skip
    first = {row["author_id"]: row for row in reversed(texts)}
    asking = [{**row, "query_id": row["candidate_id"]} for row in first.values()]
    write_lines(folder / "candidates.jsonl", [row for row in texts if row not in list(first.values())])
    fields = ("query_id", "lang", "genre", "content", "source", "token_length")
    write_lines(folder / "queries.jsonl", [{name: row[name] for name in fields} for row in asking])
    truth = [
        {"query_id": row["query_id"], "author_id": row["author_id"],
         "positive_ids": [one["candidate_id"] for one in texts if one["author_id"] == row["author_id"] and one is not
                          first[row["author_id"]]]} for row in asking
    ]  # fmt: skip
    write_lines(folder / "ground_truth.jsonl", truth)
    return folder


def write_problems(folder, problems):
    """Write problems as PAN 2013 to 2015 have them: known texts, the unknown one, whether it is by the same author."""
    for name, (known, asked, _) in problems.items():
        (folder / name).mkdir(parents=True)
        for number, content in enumerate(known, 1):
            (folder / name / f"known{number:02}.txt").write_text(content, encoding="utf-8")
        (folder / name / "unknown.txt").write_text(asked, encoding="utf-8")
    lines = [f"{name} {'Y' if same else 'N'}\r\n" for name, (*_, same) in problems.items()]
    (folder / "truth.txt").write_text("\ufeff" + "".join(lines), encoding="utf-8")
    return folder
