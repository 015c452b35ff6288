# SPDX-License-Identifier: GPL-2.0-or-later
# Rejects events like a classifier: in each frame with several events, every third event becomes FILTERED in place.
# Usage: reject.py reject IN.pcap OUT.pcap writes the changed frames and prints the number of rejected events.
# reject.py send IN.pcap INTERFACE sends the packets of IN.pcap on an interface.
import socket
import struct
import sys

ETHER, HEADER, EVENT, FILTERED = 14, 48, 1, 2


def packets(name):
    data = open(name, "rb").read()
    at = 24
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        yield data[at:at + 16], bytearray(data[at + 16:at + 16 + length])
        at += 16 + length


def reject(packet):
    length, = struct.unpack_from(">H", packet, ETHER + 6)
    events, = struct.unpack_from(">H", packet, ETHER + 46)
    at, n, rejected = ETHER + HEADER, 0, 0
    while events > 1 and at + 4 <= ETHER + length:
        kind, size = struct.unpack_from(">HH", packet, at)
        if kind == EVENT:
            n += 1
            if n % 3 == 0:
                struct.pack_into(">H", packet, at, FILTERED)
                rejected += 1
        at += (size + 3) // 4 * 4
    return rejected


if sys.argv[1] == "reject":
    total = 0
    with open(sys.argv[3], "wb") as out:
        out.write(open(sys.argv[2], "rb").read(24))
        for head, packet in packets(sys.argv[2]):
            total += reject(packet)
            out.write(head + packet)
    print(total)
else:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as link:
        link.bind((sys.argv[3], 0))
        for _, packet in packets(sys.argv[2]):
            link.send(packet)
