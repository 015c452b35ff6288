#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the commands of a page of the documentation, from top to bottom, in one shell, and compares their output with the page.

Usage: pages.py FOLDER PAGE

FOLDER is the working directory. Commands are lines that begin with "$ " in a block between ``` lines. A command continues on the next
line if its line ends with a backslash. Each command must end with status 0 within a minute. The lines below a command are the output that
it must print:

    - a line shows the shape of a printed line: numbers, units of size, names of tasks, and values after = may differ;
    - a line `...` stands for any number of lines;
    - if there are no lines below a command, it may print anything;
    - a block that begins with "```text" is the output of another run, and is not compared.

A command that ends with `-- sleep N &` sleeps for a minute, so that later commands of the page find it running on a slow machine, too.
Without &, it sleeps for one second.

An indented line is a command if it begins with one of the programs in INDENTED.
"""
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

SECONDS = 60  # time limit of a command
# Lines that only a test gets: tshark's warning for root, and notes that objects of killed runs (of other tests) were removed.
OTHERS = re.compile(r'Running as user "root" and group "root"\. This could be dangerous\.|removed .* of a killed run')
LACKING = r"^tracewire \w+: no tracer '.*'; this kernel has: "
END = "end of the command "
# Programs that begin a command in an indented block.
INDENTED = r"    (?:sudo|make|tracewire|tshark|dumpcap|mergecap) "
# A line of report or of tshark. Only its layout is compared, because chance decides which event is printed first.
EVENT_LINE = re.compile(r"^\s*\S+-\d+\s+\[\d+\]\s+\d+\.\d+: \w+: .*$")
PACKET_LINE = re.compile(r"^\s*\d+ \d+\.\d+ .* TRACE \d+ \S+-\d+ \[\d+\] (\w+): ")
COUNT_LINE = re.compile(r"^ *\d+ \w+$")  # a line of uniq -c


def shape_of(line):
    """Return: a regular expression for the lines that a program may print where the page shows this line"""
    if EVENT_LINE.match(line):
        return r"\s*\S.*-\d+\s+\[\d+\]\s+\d+\.\d+: \w+:.*"
    packet = PACKET_LINE.match(line)
    if packet:
        return r"\s*\d+ \d+\.\d+ .* TRACE \d+ \S.*-\d+ \[\d+\] %s: .*" % packet[1]
    if COUNT_LINE.match(line):
        return r" *\d+ \w+"
    shape = re.escape(line.rstrip()).replace(r"\ ", " ")
    shape = re.sub(r"(?<=\w)=(?:\\.|[^ ])+", r"=\\S*", shape)
    shape = re.sub(r"(?<=\d )[kMG]B\b", "[kMG]B", shape)
    shape = re.sub(r"\d+(?:\\\.\d+)?", lambda m: r"\d+(?:\.\d+)?", shape)
    return re.sub(r" +", lambda m: " +", shape) + r"\s*"


def differs(shown, lines):
    """Return: the first line of the page that the output does not have; "the end of the output" if it has more lines; or None"""
    at, skip = 0, False
    for line in shown:
        if line.strip() == "...":
            skip = True
            continue
        shape = re.compile(shape_of(line))
        while skip and at < len(lines) and not shape.fullmatch(lines[at]):
            at += 1
        if at == len(lines) or not shape.fullmatch(lines[at]):
            return line
        at, skip = at + 1, False
    return None if skip or at == len(lines) or not shown else "the end of the output"


def commands_of(path):
    """Return: a list of the page's commands, each with its line number and the lines of output that the page shows"""
    found, fenced, compared = [], False, False
    with open(path) as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            if line.startswith("```"):
                fenced, goes_on, compared = not fenced, False, line.rstrip() == "```"
            elif fenced and goes_on:
                found[-1][1] += "\n" + line
                goes_on = line.endswith("\\")
            elif fenced and line.startswith("$ "):
                found.append([number, line[2:], []])
                goes_on = line.endswith("\\")
            elif fenced and compared and found:
                found[-1][2].append(line)
            elif not fenced and re.match(INDENTED, line):
                found.append([number, re.split("  +", line.strip())[0], []])  # two or more blanks separate the command from an explanation
    return found


class Shell:
    """One shell for all commands of a page, so that jobs in the background go on while later commands run."""

    def __init__(self, folder):
        self.process = subprocess.Popen(["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, errors="replace", cwd=folder, start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def run(self, command, shown):
        """Runs a command until it ends; a command in the background, until it has printed the lines shown. Return: status (None after
        SECONDS), and the lines of output"""
        command = re.sub(r"-- sleep \d+ &$", "-- sleep 60 &", command)
        command = re.sub(r"-- sleep [2-9]$", "-- sleep 1", command)
        self.process.stdin.write("%s\nprintf '\\n%s%%s\\n' $?\n" % (command, END))
        self.process.stdin.flush()
        lines, status, limit = [], None, time.monotonic() + SECONDS
        while status is None or (command.endswith("&") and differs(shown, lines)):
            try:
                line = self.lines.get(timeout=max(0, limit - time.monotonic()))
            except queue.Empty:
                return None, lines
            if line.startswith(END):
                status = int(line[len(END):])
            elif line and not OTHERS.match(line):
                lines.append(line)
        return status, lines

    def end(self):
        """Ends the shell and its jobs in the background."""
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def main(folder, page):
    shell, failed = Shell(folder), False
    for number, command, shown in commands_of(page):
        status, lines = shell.run(command, shown)
        lacking = next((line for line in lines if re.search(LACKING, line)), None)
        if lacking:
            print("not run here: %s:%d: %s\n    %s" % (os.path.basename(page), number, command, lacking))
            continue
        missing = differs(shown, lines)
        why = "does not end" if status is None else "status %d" % status if status else "not in the output: %s" % missing if missing else None
        print("%s%s:%d: %s" % ("FAIL: " if why else "", os.path.basename(page), number, command))
        if why:
            print("    %s\n%s" % (why, "".join("    | %s\n" % line for line in lines[:5] + lines[-20:])), end="")
            failed = True
        if status is None:
            break
    shell.end()
    return failed


sys.exit(main(*sys.argv[1:]))
