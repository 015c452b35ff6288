# SPDX-License-Identifier: GPL-2.0-or-later
"""For the check programs: the packets of a capture, as tshark reads them, and the summary of the capture."""
import json
import os
import subprocess
import sys

BILLION = 10**9
failures = 0


def fail(text):
    global failures
    failures += 1
    if failures <= 20:
        print("FAIL: " + text)


def expect(what, wanted, got):
    if wanted != got:
        fail(f"{what}: expected {wanted}, got {got}")


def end():
    sys.exit(failures != 0)


def nanoseconds(text):
    """Convert a text of seconds, with up to nine digits after the point, to ns. A float would not be exact enough."""
    if not text:
        return None
    sign = -1 if text[0] == "-" else 1
    seconds, _, rest = text.lstrip("-").partition(".")
    return sign * (int(seconds) * BILLION + int(rest.ljust(9, "0")[:9]))


def packets(path, fields, select="frame"):
    """Return a list with a dictionary of field texts for each packet."""
    args = ["tshark", "-r", path, "-Y", select, "-T", "fields"]
    for field in fields:
        args += ["-e", field]
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LD_PRELOAD=os.environ["SANITIZERS"])
    done = subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail(f"tshark: {done.stderr}")
    return [dict(zip(fields, line.split("\t"))) for line in done.stdout.splitlines()]


def end_report(path):
    """Return the streams in the summary of capture -j: for each host name a list of its streams."""
    said = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith('{"end":'):
            for stream in json.loads(line)["end"]:
                said.setdefault(stream["name"].split(":")[0], []).append(stream)
    return said


def end_counts(path, what):
    """Return another part of the summary of capture -j, for example `frames`."""
    said = [json.loads(line) for line in open(path, encoding="utf-8")]
    said = [line for line in said if "note" not in line]  # for example messages about objects of a killed run
    expect("begin and end", ["begin", "end"], [next(iter(line)) for line in said if "status" not in line])
    return said[-1][what]


def expect_balanced(stream):
    ledger = stream["ledger"]
    expect(stream["name"] + ": ledger", "closed", ledger["state"])
    expect(stream["name"] + ": difference", 0, ledger["difference"])


def expect_all_delivered(stream, sent):
    expect_balanced(stream)
    expect(stream["name"] + ": recorded", sent, stream["ledger"]["recorded"])
    expect(stream["name"] + ": delivered", sent, stream["ledger"]["places"]["delivered"])
