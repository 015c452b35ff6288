#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that schema/syscalls.c has all numbers and names of system calls that the kernel headers of this system have.

Usage: syscalls.py COMPILER SOURCE
"""
import re
import subprocess
import sys

compiler, source = sys.argv[1:3]
# The macros that arm64 defines before it includes asm-generic/unistd.h, in the kernel's arch/arm64/include/uapi/asm/unistd.h
ARM64 = ["-D__BITS_PER_LONG=64", "-D__ARCH_WANT_RENAMEAT", "-D__ARCH_WANT_NEW_STAT", "-D__ARCH_WANT_SET_GET_RLIMIT",
         "-D__ARCH_WANT_TIME32_SYSCALLS", "-D__ARCH_WANT_SYS_CLONE3", "-D__ARCH_WANT_MEMFD_SECRET"]
HEADERS = (("X86_64", "asm/unistd_64.h", []), ("AARCH64", "asm-generic/unistd.h", ARM64))
NO_CALLS = {"syscalls", "arch_specific_syscall"}  # names of limits, not of system calls


def of_header(header, options):
    """Return: the names by number; {} if there is no such header, as asm/unistd_64.h on arm64"""
    said = subprocess.run([compiler, "-E", "-dM", *options, "-"], input="#include <%s>\n" % header, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout
    macros = dict(re.findall(r"^#define (__NR\w+) (\w+)$", said, flags=re.M))
    found = {}
    for macro, value in macros.items():
        while value in macros:
            value = macros[value]
        name = macro[len("__NR_"):]
        if macro.startswith("__NR_") and value.isdigit() and name not in NO_CALLS:
            found[int(value)] = name
    return found


def of_source(name):
    with open(source) as file:
        lists = dict(re.findall(r"^#define (\w+)\(X\) \\\n((?:.*\\\n)*.*\n)", file.read(), flags=re.M))
    return {int(number): call for number, call in re.findall(r"X\((\d+), (\w+)\)", lists[name] + lists["COMMON"])}


checked = 0
for machine, header, options in HEADERS:
    ours = of_source(machine)
    for number, name in sorted(of_header(header, options).items()):
        if number > max(ours):
            break  # the headers are of a newer kernel than the table
        checked += 1
        if ours.get(number) != name:
            sys.exit("%s: %d is %s in <%s>, %s here" % (machine, number, name, header, ours.get(number)))
print("%d system calls of this system's headers have the same number" % checked)
sys.exit(checked < 300)
