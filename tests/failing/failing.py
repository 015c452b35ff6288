#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each call from a place of the product to the C library, libbpf or libnl fails once, and the command must report the failure.

Usage: failing.py TRACEWIRE LIBRARY TOLERATED COMMANDS

Each line of COMMANDS is a command line of tracewire. It runs once with LIBRARY (failing-calls.c) to find its places, and then once for each
place: the first call from this place fails with an error that the kernel does not return otherwise. The command must end by itself, and
print a sentence with the reason; if this sentence is its error, its status must not be 0. TOLERATED names the functions of the product
that may continue without a message, and the reasons.
A line can also be `BEFORE ; COMMAND ; AFTER`. BEFORE and AFTER run without LIBRARY before and after each run of COMMAND; both may be empty.
`! AFTER` must fail if COMMAND has reported an error, because COMMAND then left nothing that AFTER could remove. A COMMAND that begins with
INTERRUPTED gets SIGINT when it has printed `attached to`, but not in its first second.
Environment: ONE_OF=N tries only one of N places; FAILING_AT=FILE tries only places with a function of this source file in the stack;
AT_ONCE=N runs N commands at the same time. PORT in a command line is replaced by another number in each run; WORKER is replaced by a
number below AT_ONCE that no other command has at the same time.
"""
import concurrent.futures
import errno
import itertools
import os
import queue
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time

tracewire, library, tolerated_file, commands_file = sys.argv[1:5]
ERRNO = errno.EXFULL
REASONS = (os.strerror(ERRNO), "memory")
SECONDS = 240  # after which a command hangs; on a busy machine, one that attaches a filter may take longer than a minute
at_once = int(os.environ.get("AT_ONCE", "3"))
ports = itertools.count(20000)
workers = queue.Queue()


class Line:
    """A line of COMMANDS: the words of its commands, and whether `after` must fail if `command` has failed"""

    def __init__(self, text):
        parts = [shlex.split(part) for part in os.path.expandvars(text).split(" ;")]
        self.before, self.command, self.after = parts if len(parts) == 3 else ([], parts[0], [])
        self.must_fail = self.after[:1] == ["!"]
        self.after = self.after[self.must_fail:]

    def run(self, folder, **more):
        """Return: the result of COMMAND; whether an AFTER that should fail after an error of COMMAND was successful"""
        port, worker = str(next(ports)), workers.get()
        try:
            before, command, after = ([word.replace("PORT", port).replace("WORKER", worker) for word in words]
                                      for words in (self.before, self.command, self.after))
            ready = run(before, folder) if before else None
            if ready and ready.returncode:
                sys.exit("%s: status %s: %s" % (" ".join(before), ready.returncode, ready.stderr))
            result = run(command, folder, LD_PRELOAD=library, **more)
            return result, bool(after) and not run(after, folder).returncode and self.must_fail
        finally:
            workers.put(worker)


def until_attached(process):
    """Waits until a command has said that its filter is attached, or has ended, but at least a second. Return: what it has said"""
    begun, said, piece = time.monotonic(), b"", None
    while (process.poll() is None and piece != b"" and b"\nattached to " not in b"\n" + said and
           time.monotonic() < begun + SECONDS):
        if select.select([process.stderr], [], [], 0.1)[0]:
            piece = os.read(process.stderr.fileno(), 65536)
            said += piece
    if process.poll() is None:
        time.sleep(max(0, begun + 1 - time.monotonic()))
    return said.decode(errors="replace")


def run(words, folder, **more):
    interrupted = words[0] == "INTERRUPTED"
    with subprocess.Popen([tracewire] + words[interrupted:], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", env=dict(os.environ, LC_ALL="C", **more)) as process:
        said = until_attached(process) if interrupted else ""
        if interrupted:
            process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=SECONDS)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            (out, err), status = process.communicate(), "hung"
        return subprocess.CompletedProcess(words, status, out, said + err)


def places_of(line):
    """Return: the command's standard output; for each place that it reaches, the function that is called, and the frames of the stack"""
    with tempfile.TemporaryDirectory() as folder:
        found = os.path.join(folder, "places")
        result, _ = line.run(folder, PLACES_FILE=found)
        if result.returncode:
            sys.exit("%s: status %s: %s" % (" ".join(line.command), result.returncode, result.stderr))
        with open(found) as file:
            return (result.stdout,
                    {place: (function, frames) for place, function, *frames in map(str.split, file)})


def source_of(offsets):
    """Return: for each return address, the functions and lines of the call, the innermost (inlined) one first"""
    # A return address can belong to the next line; the byte before it belongs to the call.
    asked = "".join("%x\n" % (int(offset, 16) - 1) for offset in offsets)
    said = subprocess.run(["addr2line", "-a", "-i", "-f", "-e", tracewire], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    found = []
    for line in said.stdout.splitlines():
        if line.startswith("0x"):
            found.append([])
        else:
            found[-1].append(line)
    return {offset: [(name, re.sub(r" \(.*", "", at)) for name, at in zip(frames[::2], frames[1::2])]
            for offset, frames in zip(offsets, found)}


def is_at(stack):
    file = os.environ.get("FAILING_AT")
    return not file or any(line.rsplit(":", 1)[0].endswith("/" + file) for _, line in stack)


def verdict(line, place, usual):
    """Return: None if the command reported the failure; otherwise, what it did instead. usual: its output if nothing fails"""
    with tempfile.TemporaryDirectory() as folder:
        failed = os.path.join(folder, "failed")
        result, left = line.run(folder, FAILING_PLACE=place, FAILING_ERRNO=str(ERRNO), FAILED_FILE=failed)
        if not os.path.exists(failed):
            return None  # in this run, the command did not reach the place
    said = " / ".join(result.stderr.strip().splitlines()[-2:])
    if result.returncode == "hung" or result.returncode < 0:
        return "ended with %s: %s" % (result.returncode, said)
    error = [text for text in result.stderr.splitlines()
             if re.match(r"tracewire [a-z ]+: ", text) and any(reason in text for reason in REASONS)]
    if error and not result.returncode:
        return "status 0 in spite of: %s" % error[0]
    if error and left:
        return "something stays after: %s" % error[0]
    if any(reason in result.stderr or reason in result.stdout and reason not in usual for reason in REASONS):
        return None
    return "status %d without the reason: %s" % (result.returncode, said)


def main():
    with open(tolerated_file) as file:
        tolerated = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    with open(commands_file) as file:
        lines = [Line(line) for line in file if line.strip() and not line.startswith("#")]
    of = int(os.environ.get("ONE_OF", "1"))
    tried, failed = set(), 0
    for worker in range(at_once):
        workers.put(str(worker))
    for line in lines:
        usual, found_at = places_of(line)
        found_at = {place: found for place, found in found_at.items() if place not in tried and int(place, 16) % of == 0}
        tried.update(found_at)
        source = source_of(sorted({frame for _, frames in found_at.values() for frame in frames}))
        where = {place: [at for frame in frames for at in source[frame]] for place, (_, frames) in found_at.items()}
        # Calls without a source line come from the compiler.
        places = sorted(place for place in found_at
                        if not where[place][0][1].startswith(("?", "_gcov")) and is_at(where[place]))
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            verdicts = list(pool.map(lambda place: verdict(line, place, usual), places))
        print("%s: %d places" % (" ".join(line.command), len(places)))
        for place, bad in zip(places, verdicts):
            if bad and not tolerated.intersection(name for name, _ in where[place]):
                failed += 1
                print("  %s in %s: %s" % (found_at[place][0], " < ".join("%s %s" % at for at in where[place]), bad))
    print("%d places, %d without a sentence" % (len(tried), failed))
    return failed > 0


sys.exit(main())
