# SPDX-License-Identifier: GPL-2.0-or-later
"""Accepts the packets of a queue of netfilter (NFQUEUE), one after the other, each after a time.

Usage: verdicts.py QUEUE SECONDS; prints "ready" when packets can be queued
"""
import socket, struct, sys, time

NETLINK_NETFILTER, SUBSYSTEM = 12, 3 << 8
PACKET, VERDICT, CONFIG = 0, 1, 2  # kinds of messages
BIND, COPY_META, ACCEPT = 1, 1, 1
PACKET_HEADER, VERDICT_HEADER, COMMAND, PARAMETERS = 1, 2, 1, 2  # attributes


def message(kind, attribute, payload):
    body = struct.pack("=BBH", socket.AF_UNSPEC, 0, socket.htons(queue))
    body += struct.pack("=HH", 4 + len(payload), attribute) + payload + b"\0" * (-len(payload) % 4)
    return struct.pack("=IHHII", 16 + len(body), SUBSYSTEM | kind, 1, 0, 0) + body


def packets(received):
    """Yields the number of each queued packet, which is the first attribute of its message."""
    while len(received) >= 16:
        length, kind = struct.unpack_from("=IH", received)
        if kind == SUBSYSTEM | PACKET:
            assert struct.unpack_from("=H", received, 22)[0] == PACKET_HEADER
            yield struct.unpack_from(">I", received, 24)[0]
        received = received[(length + 3) & ~3:]


queue, seconds = int(sys.argv[1]), float(sys.argv[2])
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
netlink.send(message(CONFIG, COMMAND, struct.pack(">BBH", BIND, 0, 0)))
netlink.send(message(CONFIG, PARAMETERS, struct.pack(">IB", 0, COPY_META)))
print("ready", flush=True)
while True:
    for number in packets(netlink.recv(65536)):
        time.sleep(seconds)
        netlink.send(message(VERDICT, VERDICT_HEADER, struct.pack(">II", ACCEPT, number)))
