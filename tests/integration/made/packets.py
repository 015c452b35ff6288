# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture wrote, for checks: its packets as tshark has them, and what it said at its end."""
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
    """Seconds with nine digits behind the point, as tshark has them; no float has room for these."""
    if not text:
        return None
    sign = -1 if text[0] == "-" else 1
    seconds, _, rest = text.lstrip("-").partition(".")
    return sign * (int(seconds) * BILLION + int(rest.ljust(9, "0")[:9]))


def packets(path, fields, select="frame"):
    """A dictionary a packet, of the fields' texts."""
    args = ["tshark", "-r", path, "-Y", select, "-T", "fields"]
    for field in fields:
        args += ["-e", field]
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LD_PRELOAD=os.environ["SANITIZERS"])
    done = subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail(f"tshark: {done.stderr}")
    return [dict(zip(fields, line.split("\t"))) for line in done.stdout.splitlines()]


def end_report(path):
    """What capture -j said of each stream at its end, by the host's name, a list each."""
    said = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith('{"end":'):
            for stream in json.loads(line)["end"]:
                said.setdefault(stream["name"].split(":")[0], []).append(stream)
    return said


def end_counts(path, what):
    """What it said there of frames, or of questions; all that it said is JSON."""
    said = [json.loads(line) for line in open(path, encoding="utf-8")]
    said = [line for line in said if "note" not in line]  # such as what a killed run has left behind
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
