"""Stages give the same tables of languages of 0, 1, 20 and 4,001 texts in any order and with any hash seed."""

import ast
import os
import subprocess
import sys

import group_sizes


def test_neither_the_order_of_texts_nor_the_seed_of_hashes_changes_a_stage():
    expected = group_sizes.digests(group_sizes.texts(0))
    for seed in range(1, 6):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, group_sizes.__file__, str(seed)]
        printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        assert ast.literal_eval(printed) == expected
