#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads `tshark -T pdml`, and checks that the bytes that the plugin marks for a number are that number, in either byte order.

Usage: bytes.py N

Prints each field whose bytes differ, once; and the number of fields that were compared, if it is less than N.
"""
import sys
import xml.etree.ElementTree as ElementTree

COMPUTED = {"trace.missing"}  # marks the bytes of the number from which it is computed

compared, wrong = set(), {}
for _, field in ElementTree.iterparse(sys.stdin.buffer):
    name, show, value = field.get("name", ""), field.get("show", ""), field.get("value", "")
    if field.tag != "field" or not name.startswith("trace.") or field.get("unmaskedvalue"):
        continue
    if name in COMPUTED:
        continue
    try:
        number, data = int(show, 0), bytes.fromhex(value)
    except ValueError:
        continue  # no number, or no bytes
    if not 0 < len(data) <= 8:
        continue
    compared.add(name)
    whole = 1 << 8 * len(data)
    if number % whole not in (int.from_bytes(data, "big"), int.from_bytes(data, "little")):
        wrong[name] = "%s is %s, its bytes are %s" % (name, show, value)
for line in wrong.values():
    print(line)
if len(compared) < int(sys.argv[1]):
    print("only %d numbers were compared" % len(compared))
