#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the table of back ends in docs/filter.md with the output of `filter explain` for the examples in the table.
Usage: filter-table.py TRACEWIRE CAPTURE DOCUMENT"""
import json
import re
import subprocess
import sys


def rows(document):
    """The heading and the rows of the table of comparisons, each a list of cells."""
    text = "| comparison |" + open(document, encoding="utf-8").read().split("\n| comparison |", 1)[1].split("\n\n", 1)[0]
    lines = text.splitlines()
    table = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return table[0], table[2:]


def explained(tracewire, capture, expression):
    output = subprocess.run([tracewire, "filter", "explain", "--json", "--from", capture, expression],
                            capture_output=True, check=False, text=True)
    if output.returncode:
        return None, output.stderr.strip()
    return json.loads(output.stdout)["predicates"][0]["stages"], None


def check(head, row, stages):
    """Yields the differences of a row. Each column after the example is for one stage or for two."""
    for name, said in zip(head[2:], row[2:]):
        for stage in name.split(", "):
            if stages[stage]["can"] != said:
                yield f"{row[1]} in {stage}: the document says {said}, explain {stages[stage]}"


def main(tracewire, capture, document):
    head, table = rows(document)
    problems = [] if len(table) > 10 else [f"{document} has a table of {len(table)} rows only"]
    for row in table:
        stages, error = explained(tracewire, capture, row[1].strip("`").replace("\\|", "|"))
        problems += [f"{row[1]}: {error}"] if error else check(head, row, stages)
    for problem in problems:
        print("FAIL:", problem)
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
