"""What a run says of its jobs: one line each, with what it worked on, its time, and the time left."""

import io
import logging
from enum import Enum
from types import SimpleNamespace

from authbench.core.runtime.job_lines import JobLines, causes, in_words, tell_jobs_in_lines

Event = Enum(
    "Event", ["JOB_INFO", "JOB_STARTED", "JOB_FINISHED", "PROGRESS", "JOB_ERROR", "GROUP_ERROR", "ERROR", "RUN_INFO"]
)
Quiet = Enum("Quiet", ["RULES", "HOST"])


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def record(message=None, **fields):
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)
    vars(made).update(fields)
    return made


def begin(lines, job, rule, **wildcards):
    lines.hear(record("rule", event=Event.JOB_INFO, jobid=job, rule_name=rule, wildcards=wildcards))


def finish(lines, job, done, total):
    assert lines.format(record("Finished", event=Event.JOB_FINISHED, job_id=job)) == ""
    return lines.format(record(event=Event.PROGRESS, done=done, total=total))


def test_a_finished_job_is_told_in_one_line_with_its_part_and_its_time():
    clock = Clock()
    lines = JobLines(logging.Formatter(), clock)
    begin(lines, 7, "measure_texts", scatteritem="2-of-4")
    clock.now = 12.4
    assert finish(lines, 7, 1, 40) == "measure_texts 2-of-4: 12 s (1 of 40 jobs)"


def test_the_time_left_is_told_once_enough_jobs_are_done():
    clock = Clock()
    lines = JobLines(logging.Formatter(), clock)
    for job in range(4):
        begin(lines, job, "ingest_source", source=f"s{job}")
        clock.now += 60
        told = finish(lines, job, job + 1, 10)
        assert ("left" in told) == (job + 1 >= 3)
    assert told == "ingest_source s3: 1 min (4 of 10 jobs, about 6 min left)"
    begin(lines, 9, "all")
    assert "left" not in finish(lines, 9, 10, 10)


def test_jobs_that_finish_together_stand_in_one_line_and_an_unknown_one_has_its_number():
    lines = JobLines(logging.Formatter(), Clock())
    begin(lines, 1, "a")
    for job in (1, 2):
        lines.format(record("Finished", event=Event.JOB_FINISHED, job_id=job))
    told = lines.format(record(event=Event.PROGRESS, done=2, total=5))
    assert told == "a: under 1 s, job 2: under 1 s (2 of 5 jobs)"
    assert lines.format(record(event=Event.PROGRESS, done=2, total=5)) == ""


def test_brief_lines_are_for_a_tenth_of_the_jobs_or_ten_minutes_and_name_each_rule_once():
    clock = Clock()
    lines = JobLines(logging.Formatter(), clock, brief=True)
    assert lines.format(record("Building DAG of jobs...")) == ""
    assert lines.format(record("Job stats", event=Event.RUN_INFO)) == ""
    told = []
    for job in range(1, 41):
        begin(lines, job, "sign_texts" if job < 40 else "all", scatteritem=f"{job}-of-39")
        clock.now += 1 if job < 38 else 700
        told.append(finish(lines, job, job, 40))
    assert [done for done, line in enumerate(told, start=1) if line] == [*range(4, 40, 4), 38, 39, 40]
    assert told[3] == "sign_texts (4 of 40 jobs, about 36 s left)"
    assert told[-1] == "all (40 of 40 jobs)"


def test_chatter_is_left_out_and_everything_else_stands_as_it_was():
    lines = JobLines(logging.Formatter("plain: %(message)s"), Clock())
    assert lines.format(record("Select jobs to execute...")) == ""
    assert lines.format(record("Execute 3 jobs...", event=Event.JOB_STARTED)) == ""
    assert lines.format(record("Error in rule x")) == "plain: Error in rule x"


def test_only_a_terminal_that_is_quiet_about_rules_tells_jobs_in_lines():
    logger, out, all_of_it = logging.Logger("snakemake"), io.StringIO(), io.StringIO()
    quiet, full = logging.StreamHandler(out), logging.StreamHandler(all_of_it)
    for handler, kinds in ((quiet, {Quiet.RULES}), (full, {Quiet.HOST})):
        handler.setFormatter(logging.Formatter())
        handler.addFilter(SimpleNamespace(quiet=kinds, filter=lambda one: one.__dict__.get("event") != Event.JOB_INFO))
        logger.addHandler(handler)
    tell_jobs_in_lines(logger)
    logger.info("rule", extra={"event": Event.JOB_INFO, "jobid": 3, "rule_name": "score", "wildcards": {"model": "x"}})
    logger.info("Finished", extra={"event": Event.JOB_FINISHED, "job_id": 3})
    logger.info(None, extra={"event": Event.PROGRESS, "done": 1, "total": 2})
    assert all_of_it.getvalue().split() == ["Finished", "None"]
    assert out.getvalue().split() == ["score", "x:", "under", "1", "s", "(1", "of", "2", "jobs)"]


def test_durations_are_words():
    assert [in_words(one) for one in (0.2, 1, 59, 61, 3600, 7300)] == [
        "under 1 s",
        "1 s",
        "59 s",
        "1 min",
        "1 h 0 min",
        "2 h 2 min",
    ]


NOT_DONE = "WorkflowError:\nAt least one job did not complete successfully."


def failed(folder, part, text):
    """Return the path of a job's log with a last record."""
    path = folder / f"{part}.log"
    path.write_text(f"08:00:00 ingest {part}\n08:00:01 {text}\n08:00:02 took 0.8 CPU s\n", encoding="utf-8")
    return str(path)


def test_a_failed_run_ends_with_the_causes_by_the_logs_of_its_jobs(tmp_path):
    lines = JobLines(logging.Formatter(), Clock())
    one = failed(tmp_path, "a", "\ningest a: a.csv is empty.\nFetch it.\n")
    other = failed(tmp_path, "b", "Traceback (most recent call last):\n  File x\nZeroDivisionError: division")
    job = {"rule_name": "ingest", "log": [one]}
    for _ in range(2):  # it is tried twice
        lines.hear(record("Error", event=Event.JOB_ERROR, **job))
    lines.hear(record("Error", event=Event.GROUP_ERROR, job_error_info=[{"rule_name": "ingest", "log": [other]}]))
    raised = "RuleException:\nCommand 'python /x/.snakemake/scripts/a.py'"
    assert lines.format(record(raised, event=Event.ERROR, exception="RuleException")) == ""
    told = lines.format(record(NOT_DONE, event=Event.ERROR, exception="WorkflowError")).splitlines()
    assert told[1:] == [
        "ingest a: a.csv is empty.",
        f"Fetch it. (log: {one})",
        f"ingest: ZeroDivisionError: division (log: {other})",
    ]


def test_of_many_failed_jobs_three_are_told_and_one_without_a_log_is(tmp_path):
    silent = tmp_path / "silent.log"
    silent.write_text("08:00:00 ingest s\n", encoding="utf-8")
    told = causes([("ingest", str(silent)), ("split",), *((f"r{number}", "none") for number in range(8))]).splitlines()
    assert [line.partition(":")[0] for line in told[1:]] == ["ingest", "split", "r0", "7 more jobs failed."]
    assert str(silent) in told[1]


def test_a_refusal_is_told_without_the_place_of_the_rule_that_raised_it():
    place = 'file "/a b/common.smk", line 83'
    said = f"WorkflowError in {place}:\nNothing was run: 1 problem\n  x\n  {place.capitalize()}, in <module>"
    lines = JobLines(logging.Formatter(), Clock())
    assert lines.format(record(said, event=Event.ERROR, exception="WorkflowError")) == "Nothing was run: 1 problem\n  x"
    other = "MissingRuleException:\nNo rule"
    assert lines.format(record(other, event=Event.ERROR, exception="MissingRuleException")) == other
    assert lines.format(record(NOT_DONE, event=Event.ERROR, exception="WorkflowError")) == NOT_DONE
