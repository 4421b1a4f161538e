"""The subcommand that weighs a forensic case."""

import argparse
from pathlib import Path

from authbench.app.cli.command import Command, option, path, seed, unverified_argument, warn_unverified

VERIFIERS = ("lambdag", "naive")


def _arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "--questioned FILE", "text of disputed authorship", required=True)
    path(parser, "--known FILE", "texts by the suspected writer", required=True, nargs="+")
    path(
        parser,
        "--population RELEASE",
        "texts by other writers: a release, or any dataset that `authbench audit` reads, such as a "
        "folder of texts by author",
        required=True,
    )
    path(parser, "--out DIR", "output directory for index.html and case.json", required=True, replaced=True)
    parser.add_argument(
        "--verifier",
        action="append",
        metavar="NAME",
        help=f"verifier, as authbench pan run takes it; may be repeated (default: {', '.join(VERIFIERS)})",
    )
    parser.add_argument("--genre", default="", metavar="NAME", help="genre of the population's texts (default: any)")
    option(parser, "--encoding NAME", "encoding of the case's files (default: found for each)")
    parser.add_argument("--seed", type=seed, default=0, help="random seed (default: 0)")
    unverified_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    from authbench.audit.case.material import read_material
    from authbench.audit.case.page import in_words, write_report
    from authbench.audit.case.population import read_population
    from authbench.audit.case.run import examine
    from authbench.core.printable import printable
    from authbench.scoring.verifiers.requested import load_verifiers

    material = read_material(arguments.questioned, arguments.known, arguments.encoding)
    for text in material.texts:
        print(f"{text.name}: {text.role}, {text.language}, {text.characters:,} characters, {text.quoted:.0%} quoted")
    for note in material.notes:
        print(printable(note))
    verifiers = load_verifiers(arguments.verifier or VERIFIERS)
    place: Path = arguments.population
    population = read_population(place, material.language, arguments.unverified)
    warn_unverified(place, population.unverified)
    name = printable(place.name)
    report = examine(material, population, verifiers, name, arguments.genre, arguments.seed)
    write_report(report, arguments.out)
    for verifier, (validation, ratio) in report.weighed.items():
        print(f"{verifier}: log10 LR {ratio.value:+.2f}, {in_words(validation, ratio)}")
    print(f"The report: {arguments.out}/index.html")
    return 0


COMMANDS = {"case": Command("give the likelihood ratio that a suspected writer wrote a text", _arguments, _run)}
