#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""forge_times.py IN OUT HOST NS: copies a pcapng file, and adds NS to the packet times of the interface of HOST. The bounds stay."""
import struct
import sys

source, target, host, shift = open(sys.argv[1], "rb").read(), open(sys.argv[2], "wb"), sys.argv[3], int(sys.argv[4])
INTERFACE, PACKET = 1, 6
interfaces, at, changed = [], 0, 0
while at < len(source):
    kind, length = struct.unpack_from("<II", source, at)
    block = bytearray(source[at:at + length])
    if kind == INTERFACE:
        interfaces.append(host.encode() + b":" in block)
    elif kind == PACKET:
        number, high, low = struct.unpack_from("<III", block, 8)
        if interfaces[number]:
            time = (high << 32 | low) + shift
            struct.pack_into("<II", block, 12, time >> 32, time & 0xffffffff)
            changed += 1
    target.write(block)
    at += length
sys.exit(0 if changed else 1)
