#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""damage.py SEED RATE IN OUT: copies a file and changes one byte in 1/RATE, anywhere, including the structure of the file.

With the RATE "cut", it truncates the file at a random place. With a "b" after the rate, as in 0.001b, it keeps the types and
lengths of the blocks of a pcapng file, so that a reader reaches the end of the file. The result depends only on SEED."""
import random
import struct
import sys

seed, rate, source, target = sys.argv[1:]
random.seed(int(seed))
data = bytearray(open(source, "rb").read())


def block_bodies():
    """Start and end of the bodies of the blocks of a pcapng in this machine's byte order."""
    at = 0
    while at + 12 <= len(data):
        length = struct.unpack_from("=I", data, at + 4)[0]
        yield at + 8, at + length - 4
        at += length


def any_place():
    return random.randrange(len(data))


def any_place_in_a_body():
    while True:
        begin, end = random.choice(bodies)
        if end > begin:
            return random.randrange(begin, end)


if rate == "cut":
    del data[random.randrange(len(data)) :]
else:
    bodies = list(block_bodies()) if rate.endswith("b") else []
    for _ in range(max(1, int(len(data) * float(rate.rstrip("b"))))):
        data[any_place_in_a_body() if bodies else any_place()] = random.randrange(256)
open(target, "wb").write(data)
