#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mangle.py SEED IN OUT: copies a capture of frames as a faulty network would deliver it: frames lost, repeated, reordered.

Prints the number of events in lost frames. It always keeps the last frame with END, and always loses at least one frame with events.
"""
import random, struct, sys

END, CONTROL = 13, 0
random.seed(int(sys.argv[1]))
data = open(sys.argv[2], "rb").read()
head, packets, at = b"", [], 0
while at < len(data):
	kind, size = struct.unpack_from("<II", data, at)
	if kind == 6:
		packets.append(data[at:at + size])
	elif not packets:
		head += data[at:at + size]
	at += size

def header(packet):
	frame = packet[28 + 14:]
	return frame[44], struct.unpack_from(">H", frame, 46)[0]

def has_end(packet):
	frame = packet[28 + 14:]
	at, length = 48, struct.unpack_from(">H", frame, 6)[0]
	while header(packet)[0] == CONTROL and at + 4 <= length:
		kind, size = struct.unpack_from(">HH", frame, at)
		if kind == END:
			return True
		at += (size + 3) & ~3
	return False

kept, lost, last = [], 0, max(i for i, p in enumerate(packets) if has_end(p))
in_any_case = random.choice([i for i, p in enumerate(packets) if i and header(p)[0] != CONTROL and header(p)[1]])
for i, packet in enumerate(packets):
	source, events = header(packet)
	if i == in_any_case or i != last and i and random.random() < 0.05:
		lost += events if source != CONTROL else 0
		continue
	kept.append((i + (random.random() < 0.05) * random.uniform(0, 4), packet))
	if random.random() < 0.05:
		kept.append((i + random.uniform(0, 4), packet))
kept.sort(key=lambda k: k[0])
open(sys.argv[3], "wb").write(head + b"".join(p for _, p in kept))
print(lost)
