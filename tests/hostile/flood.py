#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flood.py PORT SEED FRAMES FILE...: sends hostile datagrams to a capture that listens on UDP port PORT of this network
namespace, and to the producer that streams to it over 127.0.0.1.

It changes, cuts, repeats, reorders, bundles and fragments real frames, and turns some into out-of-band frames. Real frames
come from FILEs (pcap or hex) and from the producer. The producer's stream stays intact: a hostile frame has the id of this
stream only if it is out-of-band, because out-of-band frames have no event numbers. The producer gets requests as if they
came from its capture host.

Prints as JSON what it sent. Changes and their order depend only on SEED."""
import json
import os
import random
import socket
import struct
import sys
import time

PORT, SEED, FRAMES = (int(arg) for arg in sys.argv[1:4])
MAGIC = b"TWR1\x01"
HEADER = struct.Struct(">4sBBHQQQQHHBBH")  # struct tw_frame_hdr
LENGTH, STREAM, SEQUENCE, TIME, CHANNEL, SOURCE, EVENTS = 6, 8, 24, 32, 40, 44, 46
PART, LOST, SCHEMA, HOST, COMM, SYMBOL, STATS, END, TIME_SYNC, METADATA_REQUEST = 3, 4, 6, 7, 9, 10, 11, 13, 14, 16
CONTROL, OUT_OF_BAND = 0, 3
DATAGRAM_MAX = 65507
RAW_MAX = 1480  # largest payload of an IP packet that fits in the link's MTU
GSO_MAX = 64  # least number of segments that the kernel accepts at a time
UDP_SEGMENT = 103
WAITING_MAX = 256 << 10  # bytes in the receive queue of the capture, less than its size: it must drop nothing
PATIENCE = 60  # seconds
QUESTIONS_AT_ONCE = 2000  # more than fit in the receive queue of a producer's socket

rng = random.Random(SEED)
EXTREMES = (0, 1, 3, 4, 47, 48, 0x7FFF, 0x8000, 0xFFFC, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1)


def extreme(size):
    """A number of @size bytes: a boundary value or a random one."""
    value = rng.choice(EXTREMES) if rng.random() < 0.6 else rng.getrandbits(8 * size)
    return (value & (1 << 8 * size) - 1).to_bytes(size, "big")


def frames_in(data):
    """All frames found anywhere in these bytes."""
    at, found = data.find(MAGIC), []
    while at >= 0:
        length = int.from_bytes(data[at + LENGTH : at + LENGTH + 2], "big")
        if HEADER.size <= length <= len(data) - at:
            found.append(data[at : at + length])
        at = data.find(MAGIC, at + max(length, 1))
    return found


def read(path):
    if path.endswith(".hex"):
        lines = open(path, encoding="utf-8")
        return bytes.fromhex("".join(line.partition("#")[0] for line in lines))
    return open(path, "rb").read()


def tlvs(frame):
    """Offset and length of each TLV."""
    at = HEADER.size
    while at + 4 <= len(frame):
        length = int.from_bytes(frame[at + 2 : at + 4], "big")
        if length < 4:
            return
        yield at, min(length, len(frame) - at)
        at += (length + 3) & ~3


def frame(stream, source, *parts, seq=None):
    """A well-formed frame of (type, value) pairs."""
    body = b""
    for kind, value in parts:
        body += struct.pack(">HH", kind, 4 + len(value)) + value + bytes(-len(value) % 4)
    channel = {CONTROL: 0, OUT_OF_BAND: 0xFFFF}.get(source, 1)
    seq = rng.getrandbits(20) if seq is None else seq
    head = HEADER.pack(b"TWR1", 1, 0, HEADER.size + len(body), stream, 1, seq, time.monotonic_ns(), channel, 0xFFFF, source, 0,
                       source != OUT_OF_BAND)
    return head + body


# Functions that change a frame, which is a bytearray.


def flip_bits(f):
    for _ in range(rng.randrange(1, 9)):
        f[rng.randrange(len(f))] ^= 1 << rng.randrange(8)


def change_bytes(f):
    for _ in range(rng.randrange(1, 9)):
        f[rng.randrange(len(f))] = rng.randrange(256)


def truncate(f):
    del f[rng.randrange(len(f)) :]


def extend(f):
    f += rng.randbytes(rng.choice((1, 3, 64, 2000)))


def set_field(f):
    at, size = rng.choice(((4, 1), (LENGTH, 2), (STREAM, 8), (16, 8), (SEQUENCE, 8), (TIME, 8), (CHANNEL, 2), (42, 2), (SOURCE, 1),
                           (EVENTS, 2)))
    f[at : at + size] = extreme(size)


def set_tlv(f, at_in_tlv):
    places = list(tlvs(f))
    if places:
        at = rng.choice(places)[0] + at_in_tlv
        f[at : at + 2] = extreme(2)


def set_tlv_type(f):
    places = list(tlvs(f))
    if places:
        at = rng.choice(places)[0]
        f[at : at + 2] = struct.pack(">H", rng.randrange(20))


def set_tlv_length(f):
    set_tlv(f, 2)


def set_tlv_value(f):
    places = [place for place in tlvs(f) if place[1] >= 8]
    if places:
        at, length = rng.choice(places)
        at += rng.randrange(4, length - 3, 4)
        f[at : at + 4] = extreme(4)


def drop_tlv(f):
    places = list(tlvs(f))
    if places:
        at, length = rng.choice(places)
        del f[at : at + ((length + 3) & ~3)]
        f[LENGTH : LENGTH + 2] = struct.pack(">H", len(f))


def move_out_of_band(f):
    f[SOURCE] = OUT_OF_BAND
    f[CHANNEL : CHANNEL + 2] = b"\xff\xff"


def cut_into_parts(f):
    """Replaces a TLV by a PART that declares a longer, a shorter or another value."""
    places = list(tlvs(f))
    if not places:
        return
    at, length = rng.choice(places)
    value = bytes(f[at + 4 : at + length])[:1200]
    total = rng.choice((len(value), len(value) + 1, 200000, 1 << 20, (1 << 20) + 1, (1 << 32) - 1))
    offset = rng.choice((0, 0, len(value), total - len(value), (1 << 32) - 4))
    part = struct.pack(">HHIII", int.from_bytes(f[at : at + 2], "big"), 0, rng.randrange(4), total & 0xFFFFFFFF,
                       offset & 0xFFFFFFFF)
    f[HEADER.size :] = struct.pack(">HH", PART, 4 + len(part) + len(value)) + part + value
    f += bytes(-len(f) % 4)
    f[LENGTH : LENGTH + 2] = struct.pack(">H", len(f))


CHANGES = (flip_bits, change_bytes, truncate, extend, set_field, set_field, set_tlv_type, set_tlv_length, set_tlv_value, drop_tlv,
           move_out_of_band, cut_into_parts)
# With these changes, an out-of-band frame stays out-of-band and in its stream.
CHANGES_OF_VALUES = (truncate, extend, set_tlv_type, set_tlv_length, set_tlv_value, drop_tlv)


def changed(f, changes):
    f = bytearray(f)
    for _ in range(rng.randrange(1, 4)):
        if len(f) < HEADER.size:
            break
        rng.choice(changes)(f)
    return bytes(f)


# Functions that make frames that are in no recording.


def bomb():
    """A compressed format that expands to much more than a frame holds. It declares its true size, a larger or a smaller one."""
    blocks = rng.choice((1, 2, 3, 64, 1000, 8000))
    size = blocks << 17
    text = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size)  # zstd: one segment, with its size in four bytes
    for i in range(blocks):
        text += struct.pack("<I", (i == blocks - 1) | 1 << 1 | 1 << 17 << 3)[:3] + b"a"  # 128 KiB of one byte
    claimed = rng.choice((size, size, 256 << 10, (256 << 10) + 1, 1, 0, 0xFFFFFFFF))
    head = struct.pack(">BBHIII", rng.randrange(4), 1, rng.randrange(9), claimed, rng.randrange(9), rng.choice((1, 9, 0xFFFFFFFF)))
    return frame(rng.randrange(8), CONTROL, (SCHEMA, head + text))


def last_words():
    stats = b"".join(struct.pack(">HH", rng.randrange(16), rng.choice((0, 0, 1, 7, 0xFFFF))) + extreme(8) for _ in range(rng.randrange(9)))
    parts = [(STATS, stats), (END, bytes(4))]
    return frame(rng.randrange(1, 12), CONTROL, *parts[: rng.randrange(1, 3)])


def lost():
    return frame(rng.randrange(1, 12), rng.choice((CONTROL, 1)), (LOST, extreme(4) + struct.pack(">HH", rng.randrange(7), rng.randrange(2)) + extreme(8)))


def exchange(stream, asked=0, answered=False):
    value = extreme(4) + (asked.to_bytes(8, "big") if asked else extreme(8)) + (extreme(8) + extreme(8) if answered else bytes(16))
    wanted = (METADATA_REQUEST, b"".join(struct.pack(">H", rng.choice((0, 1, 2, 3, 0xFFFF))) for _ in range(rng.randrange(5))))
    return frame(stream, OUT_OF_BAND, (TIME_SYNC, value), *([wanted] if rng.random() < 0.7 else []), seq=0)


NAMES = (b"\x1b]0;owned\x07\x1b[2J", b"two\nlines\r", b'"},{"name":"', b"%n%s%n%s", b"\xff\xfe\x80", b"../../../etc/passwd", b"nul\0nul", b"",
         b"\xe2\x80\xae txet", b"n" * 1000)


def names():
    """HOST, COMM and SYMBOLS with names that contain control characters, JSON syntax or random bytes."""
    attributes = b""
    for kind in rng.sample(range(1, 18), rng.randrange(1, 9)):
        name = rng.choice(NAMES)
        attributes += struct.pack(">HH", kind, 4 + len(name)) + name + bytes(-len(name) % 4)
    comm = struct.pack(">BxxxQII", rng.randrange(6), 0, rng.randrange(100), 0) + rng.choice(NAMES)[:64]
    symbol = struct.pack(">IQ", 16, rng.getrandbits(64)) + rng.choice(NAMES)
    return frame(rng.randrange(1, 12), CONTROL, (HOST, attributes), (COMM, comm + bytes(-len(comm) % 4)), (SYMBOL, symbol))


MADE = (bomb, last_words, lost, names)


class Producer:
    """The real stream, as an attacker knows it who receives its datagrams."""

    def __init__(self):
        self.address = self.stream = None
        self.frames, self.talk = [], []  # real frames; requests and answers
        packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
        packets.bind(("lo", 0x0800))
        packets.settimeout(PATIENCE)
        end = time.monotonic() + PATIENCE
        while (len(self.frames) < 100 or not self.talk) and time.monotonic() < end:
            self.learn(packets.recv(1 << 17))
        packets.close()
        if not self.talk:
            sys.exit("flood.py: nobody asks the producer for its clock")

    def learn(self, packet):
        at = 4 * (packet[0] & 15)
        if packet[9] != socket.IPPROTO_UDP:
            return
        source, destination = struct.unpack_from(">HH", packet, at)
        if PORT not in (source, destination):
            return
        for f in frames_in(packet[at + 8 :]):
            if f[SOURCE] == OUT_OF_BAND:
                self.talk.append(f)
            elif destination == PORT:
                self.address = packet[12:16], source
                self.stream = int.from_bytes(f[STREAM : STREAM + 8], "big")
                self.frames.append(f)


def other_stream(f, ids):
    return f[:STREAM] + rng.choice(ids).to_bytes(8, "big") + f[STREAM + 8 :]


class Flood:
    def __init__(self, paths):
        self.producer = Producer()
        # Few streams, so that each continues for long. A change of one bit does not turn their ids into the producer's id.
        seen = [self.producer.stream ^ 0xA5A5A5A5A5A5A5A5 ^ n for n in range(3)]
        self.pool = [other_stream(f, seen) for f in self.producer.frames]
        for path in paths:
            self.pool += frames_in(read(path))
        self.before, self.held, self.counts = [], [], {}
        self.sockets = []
        for i in range(1, 5):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind((f"127.0.0.{i}", 0))
            self.sockets.append((sock, ("127.0.0.1", PORT)))
        self.sockets.append((socket.socket(socket.AF_INET6, socket.SOCK_DGRAM), ("::1", PORT)))
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def count(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def strange(self):
        """Any hostile frame of any stream except the producer's."""
        kind = rng.random()
        if kind < 0.08:
            return rng.choice(MADE)()
        if kind < 0.16:
            return changed(rng.choice(MADE)(), CHANGES)
        if kind < 0.26:
            return exchange(self.producer.stream, answered=True)
        if kind < 0.32:
            return changed(rng.choice(self.producer.talk), CHANGES_OF_VALUES)
        f = rng.choice(self.pool)
        return f if kind < 0.4 else changed(f, CHANGES)

    def strange_to_be_filled(self):
        """A strange frame, or no bytes. The caller appends bytes, which could turn a truncated header into one of the producer's stream."""
        f = self.strange()
        return f if len(f) >= HEADER.size else b""

    def send(self, datagram):
        """Sends a datagram from a random address: at once, later, twice, or after the next datagram."""
        sock, to = rng.choice(self.sockets)
        self.before = (self.before + [datagram])[-32:]
        kind = rng.random()
        if kind < 0.05:
            self.held.append(datagram)
            return
        if kind < 0.1:
            self.held.append(rng.choice(self.before))
        sock.sendto(datagram[:DATAGRAM_MAX], to)
        self.count("datagrams")
        if self.held and rng.random() < 0.2:
            sock.sendto(self.held.pop(rng.randrange(len(self.held)))[:DATAGRAM_MAX], to)
            self.count("late or twice")

    def send_bundle(self):
        """Frames of equal length, the last may be shorter, sent as one datagram with UDP_SEGMENT."""
        size = rng.choice((48, 64, 500, 1400))
        frames = [self.strange_to_be_filled()[:size].ljust(size, b"\0") for _ in range(rng.randrange(2, min(GSO_MAX, 60000 // size)))]
        frames[-1] = frames[-1][: rng.randrange(1, size + 1)]
        sock, to = rng.choice(self.sockets)
        sock.sendmsg([b"".join(frames)], [(socket.SOL_UDP, UDP_SEGMENT, struct.pack("H", size))], 0, to)
        self.count("in bundles", len(frames))

    def send_large(self):
        """A datagram larger than the MTU: the kernel makes fragments."""
        f = bytearray(self.strange_to_be_filled())
        f += rng.randbytes(rng.randrange(3000, DATAGRAM_MAX - len(f)) if len(f) < 50000 else 0)
        if rng.random() < 0.5 and len(f) > HEADER.size:
            f[LENGTH : LENGTH + 2] = struct.pack(">H", len(f) & ~3)
        sock, to = rng.choice(self.sockets)
        sock.sendto(bytes(f[:DATAGRAM_MAX]), to)
        self.count("in fragments")

    def send_raw(self, source, destination, payload, fragment=0, identification=0):
        """Sends UDP from any address. @fragment: the field of the IP header. The kernel does not fragment the packet."""
        payload = payload[:RAW_MAX]
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), identification, fragment, 64, socket.IPPROTO_UDP, 0, source,
                         destination)
        self.raw.sendto(ip + payload, (socket.inet_ntoa(destination), 0))

    def udp(self, source, destination, payload):
        return struct.pack(">HHHH", source, destination, 8 + len(payload), 0) + payload

    def send_broken_fragments(self):
        """Fragments that overlap, and some that never become complete."""
        here = socket.inet_aton("127.0.0.1")
        whole = self.udp(40000, PORT, self.strange()[:4000])
        number = rng.randrange(1, 65536)
        for at in range(0, len(whole), 512):
            if rng.random() < 0.1:
                continue
            more = 0x2000 if at + 512 < len(whole) else 0
            piece = whole[at : at + 512 + (8 if rng.random() < 0.1 else 0)]
            self.send_raw(here, here, piece, more | at // 8, number)
        self.count("in broken fragments")

    def question(self):
        """A request or an answer for the producer."""
        kind = rng.random()
        if kind < 0.4:
            return exchange(self.producer.stream, rng.choice((0, time.time_ns())))
        if kind < 0.6:
            return changed(exchange(self.producer.stream), CHANGES)
        if kind < 0.8:
            return changed(rng.choice(self.producer.talk), CHANGES)
        return self.strange()

    def ask_producer(self):
        """Sends from the address of the capture host, because the producer's socket accepts nothing from other addresses."""
        address, port = self.producer.address
        payload = self.question()
        self.send_raw(socket.inet_aton("127.0.0.1"), address, self.udp(PORT, port, payload[: RAW_MAX - 8]))
        self.count("questions")

    def answer_for_producer(self):
        """Sends an answer from the address of the producer."""
        address, port = self.producer.address
        known = rng.choice(self.producer.talk)
        payload = rng.choice((exchange(self.producer.stream, answered=True), known, changed(known, CHANGES_OF_VALUES)))
        self.send_raw(address, socket.inet_aton("127.0.0.1"), self.udp(port, PORT, payload[: RAW_MAX - 8]))
        self.count("answers")

    def wait(self):
        """Waits until the capture has read nearly everything."""
        end = time.monotonic() + PATIENCE
        while waiting(PORT) > WAITING_MAX:
            if time.monotonic() > end:
                sys.exit("flood.py: the capture takes nothing")
            time.sleep(0.001)

    def run(self):
        others = ((0.02, self.send_bundle), (0.02, self.send_large), (0.02, self.send_broken_fragments), (0.15, self.ask_producer),
                  (0.05, self.answer_for_producer))
        sent = 0
        while sent < FRAMES:
            for share, send in others:
                if rng.random() < share:
                    send()
                    sent += 1
            self.send(self.strange())
            sent += 1
            if sent % 8 == 0:
                self.wait()
        for _ in range(QUESTIONS_AT_ONCE):
            self.ask_producer()
        print(json.dumps({"stream": f"{self.producer.stream:016x}", **self.counts}))


def waiting(port):
    """Bytes in the receive queues of a port, from the kernel's list."""
    n = 0
    for path in ("/proc/self/net/udp", "/proc/self/net/udp6"):
        with open(path, encoding="utf-8") as table:
            for line in list(table)[1:]:
                words = line.split()
                if int(words[1].rpartition(":")[2], 16) == port:
                    n += int(words[4].partition(":")[2], 16)
    return n


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # on the loopback interface, frames that one CPU sends keep their order
Flood(sys.argv[4:]).run()
