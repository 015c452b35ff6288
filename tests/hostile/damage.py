#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# damage.py SEED RATE IN OUT: a copy with one byte in 1/RATE changed, anywhere: what holds the packets too. A rate of "cut" cuts
# the end off instead, somewhere. Always the same for the same seed.
import random, sys

seed, rate, source, target = sys.argv[1:]
random.seed(int(seed))
data = bytearray(open(source, "rb").read())
if rate == "cut":
    del data[random.randrange(len(data)):]
else:
    for _ in range(max(1, int(len(data) * float(rate)))):
        data[random.randrange(len(data))] = random.randrange(256)
open(target, "wb").write(data)
