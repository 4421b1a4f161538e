"""Which tests stay in one process, and the order in which tests begin: what takes longest first, so that no process is
left alone with it at the end."""

WHOLE_RUNS = ("pipeline", "long")  # folders of tests on runs of Snakemake, of an installed package, of real corpora
# Modules that take two minutes and more, the longest first.
LONGEST = (
    "test_cluster",
    "test_kill",
    "test_open_corpora_real",
    "test_consumers",
    "test_choices",
    "test_build_elsewhere",
    "test_paper_recipes",
    "test_wheel",
)
FUNCTIONS_FIRST = 0.3  # the share of the tests of functions that run beside the build of the demo


def of_whole_runs(item):
    """Return whether a test is one of whole runs, whose fixtures are builds that no other process should repeat."""
    return item.path.parent.name in WHOLE_RUNS


def group_of(item):
    """Return the name of the tests with which a test stays in one process, None where any process may take it.

    Tests stay together where they share what is costly to make: modules of whole runs, all that ingests real corpora,
    all that loads a transformer, whose libraries take seconds to import, and of other modules the tests that use a
    fixture of the module. Without that, each process makes it again.
    """
    if "checkpoint" in item.fixturenames:
        return "transformers"
    if getattr(getattr(item.module, "ingested", None), "__module__", "") == "open_corpora":
        return "real corpora"
    if of_whole_runs(item) or _uses_a_fixture_of_its_module(item):
        return f"{item.path.parent.name}/{item.path.stem}"
    return None


def scheduled(items):
    """Return tests in the order in which they begin, those of a module together, otherwise as they come.

    One module of the demo begins, so that the demo is built beside some tests of functions; the longest modules follow,
    then the other whole runs. The rest of the tests of functions fill up what the processes have left: at the end those
    modules of which any process may take any test.
    """
    whole = [item for item in items if of_whole_runs(item)]
    functions = [item for item in items if not of_whole_runs(item)]
    longest = {name: place for place, name in enumerate(LONGEST)}
    builder = next((item.path for item in whole if "demo" in getattr(item, "fixturenames", ())), None)
    beside = _end_of_module(functions, round(FUNCTIONS_FIRST * len(functions)))
    others = [item for item in whole if item.path != builder]
    together = {item.path for item in functions if _stays_with_others(item)}
    return [
        *(item for item in whole if item.path == builder),
        *functions[:beside],
        *sorted(others, key=lambda item: longest.get(item.path.stem, len(longest))),
        *sorted(functions[beside:], key=lambda item: item.path not in together),
    ]


def _stays_with_others(item):
    return item.get_closest_marker("xdist_group") is not None


def _uses_a_fixture_of_its_module(item):
    found = item._fixtureinfo.name2fixturedefs.values()
    return any(fixture.scope == "module" for fixtures in found for fixture in fixtures)


def _end_of_module(items, place):
    """Return the first place at or after one given at which another module begins."""
    while 0 < place < len(items) and items[place].path == items[place - 1].path:
        place += 1
    return place
