#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the timelines of packets that the plugin shows (socket-packets.sh).

Usage: socket-packets.py EVENTS.json TWO ONE: the report of the recording, and the names of what tshark shows in two passes and in one.
"""
import collections
import json
import sys

EGRESS = ("", "sendmsg_entry", "sendmsg", "sched", "snd_sw", "snd_hw", "ack")
INGRESS = ("", "rx", "ip", "l4", "socket", "wake", "run", "read")
DELAYS = ("sched_delay", "qdisc_delay", "ack_delay", "stack_delay", "wakeup_delay", "read_delay")


def layers(path):
    """The frames of tshark's JSON: by number, names and lists of values."""
    with open(path, encoding="utf-8") as f:
        frames = [packet["_source"]["layers"] for packet in json.load(f)]
    return {int(frame["frame.number"][0]): frame for frame in frames}


def extended(flow, seq, first={}):
    """A number for a sequence number that does not wrap: relative to the first one of the flow."""
    return (seq - first.setdefault(flow, seq) + 2**31) % 2**32


def numbers(frame, name):
    return [int(value) for value in frame.get("trace.sockts." + name, [])]


class Event:
    def __init__(self, fields, name, frame, shown):
        held = name == "held"  # its time is the end of the wait of one byte
        egress = name == "egress_ts" or held
        ends = [(fields[end + "addrv6"].removeprefix("::ffff:"), fields[end + "port"]) for end in "sd"]
        self.frame, self.stage = frame, "held" if held else (EGRESS if egress else INGRESS)[fields["type"]]
        self.flow = (fields["protocol"], *(ends if egress else reversed(ends)))
        self.key = extended(self.flow, fields["seq"]) if fields["protocol"] == 6 else fields["key"]
        self.bytes = fields["bytes"] if fields["protocol"] == 6 and not held else 1
        self.time, self.transmission = fields["since"] + fields["waited"] if held else fields["software"], fields.get("transmission", 0)
        self.packets = numbers(shown, "packet")
        self.delays = {d: numbers(shown, d)[0] for d in DELAYS if numbers(shown, d)}


class Packet:
    def __init__(self, frame, shown, number):
        protocol = "tcp" if "tcp.len" in shown else "udp"
        ends = [(shown["ip." + ip][0], int(shown[f"{protocol}.{port}port"][0])) for ip, port in (("src", "src"), ("dst", "dst"))]
        self.frame, self.point = frame, shown["frame.interface_name"][0]
        self.flow = (6 if protocol == "tcp" else 17, *ends)
        self.first = extended(self.flow, int(shown["tcp.seq_raw"][0])) if protocol == "tcp" else number[self.point, self.flow]
        self.last = self.first + (int(shown["tcp.len"][0]) if protocol == "tcp" else 1) - 1
        number[self.point, self.flow] += 1
        self.frames, self.stages = numbers(shown, "frame"), shown.get("trace.sockts.stage", [])
        self.delays = {d: numbers(shown, d)[0] for d in DELAYS if numbers(shown, d)}


def load(report, name):
    shown = layers(name + ".events")
    with open(report, encoding="utf-8") as f:
        events = [json.loads(line) for line in f]
    assert len(events) == len(shown), f"{len(events)} events in the report, {len(shown)} in tshark"
    events = [Event(e["fields"], e["event"], frame, shown[frame]) for e, frame in zip(events, sorted(shown))
              if e["event"] in ("egress_ts", "ingress_ts", "held")]
    number, frames = collections.Counter(), layers(name + ".packets")
    return events, [Packet(frame, frames[frame], number) for frame in sorted(frames)]


def expected(packet, packets, events):
    """The events of the packet, by counting. A packet's copies are those at the same place with its last byte."""
    events = [e for e in events if e.flow == packet.flow]
    copies = [p for p in packets if (p.flow, p.point) == (packet.flow, packet.point) and p.first <= packet.last <= p.last]
    number = copies.index(packet)

    def is_last_before(event):
        before = [p for p in copies if p.frame < event.frame]
        return (before[-1] if before else copies[0]) is packet

    def reaching(stage):
        return next((e for e in events if e.stage == stage and e.key >= packet.last), None)

    found = [e for e in events if e.key >= packet.first and e.key - e.bytes < packet.last and e.stage.startswith(("sendmsg", "held"))]
    for stage in ("sched", "snd_sw", "rx", "ip", "l4"):
        for key in {e.key for e in events if e.stage == stage}:
            same = [e for e in events if (e.stage, e.key) == (stage, key)]
            of_key = [e for e in same if key >= packet.first and key - e.bytes < packet.last]
            if stage in ("sched", "snd_sw"):
                found += [e for e in of_key if e.transmission == number]
            elif stage == "rx":
                found += [e for e in of_key if same.index(e) == number]
            else:
                found += [e for e in of_key if is_last_before(e)] if packet.flow[0] == 6 else of_key
    ack, socket, read = (reaching(stage) for stage in ("ack", "socket", "read"))
    found += [ack] if ack and is_last_before(ack) else []
    if socket and is_last_before(socket):
        found += [socket] + ([read] if read else [])
        found += [e for e in map(reaching, ("wake", "run")) if e and (not read or e.time <= read.time)]
    return found


def delays(events):
    """The delays of a packet with these events."""
    found, events = {}, sorted(events, key=lambda e: e.time)
    of = lambda *stages: [e for e in events if e.stage in stages]

    def add(name, end, begins):
        begins = [b for b in begins if b.time <= end.time]
        if begins:
            found[name] = (end.time - begins[-1].time, end.frame)

    for end in sorted(of("sched"), key=lambda e: (e.key, -e.time))[-1:]:
        if not end.transmission:
            add("sched_delay", end, of("sendmsg_entry", "sendmsg"))
    for end in of("snd_sw")[-1:]:
        add("qdisc_delay", end, [e for e in of("sched") if e.key == end.key])
    for end in of("ack")[-1:]:
        add("ack_delay", end, of("sched", "snd_sw"))
    for end in of("socket")[-1:]:
        add("stack_delay", end, [e for e in of("rx") if e.key == max(r.key for r in of("rx"))][:1])
    for end in of("run")[-1:]:
        add("wakeup_delay", end, of("wake"))
    for end in of("read")[-1:]:
        add("read_delay", end, of("socket"))
    return found


def check_packet(packet, wanted, by_frame):
    frames, wanted_frames = set(packet.frames), {e.frame for e in wanted}
    assert frames == wanted_frames, (
        f"{packet.point} frame {packet.frame} {packet.flow} {packet.first}-{packet.last}: "
        f"has {[(f, by_frame[f].stage) for f in sorted(frames - wanted_frames)]} too many, "
        f"lacks {[(e.frame, e.stage) for e in wanted if e.frame not in frames]}")
    found = delays(wanted)
    assert packet.delays == {name: ns for name, (ns, _) in found.items()}, (packet.frame, packet.delays, found)
    assert packet.stages == [by_frame[f].stage for f in packet.frames], packet.frame
    return found


def check(report, two, one):
    events, packets = load(report, two)
    by_frame = {e.frame: e for e in events}
    seen, ends = collections.Counter(), {}
    for packet in packets:
        for name, (ns, end) in check_packet(packet, expected(packet, packets, events), by_frame).items():
            ends.setdefault((end, name), set()).add(ns)
        seen.update(packet.stages)
        seen.update(packet.delays)
    for event in events:  # and back; at most 16 packets are linked
        back = [p.frame for p in packets if event.frame in p.frames]
        assert len(event.packets) == min(len(back), 16) and set(event.packets) <= set(back), (event.frame, event.packets, back)
        for name, ns in event.delays.items():
            assert ns in ends[event.frame, name], (event.frame, name, ns)
    earlier, earlier_packets = load(report, one)  # in one pass, links go backwards
    for packet, both in zip(earlier_packets, packets):
        assert sorted(packet.frames) == sorted(f for f in both.frames if f < packet.frame), (packet.frame, packet.frames, both.frames)
    for event, both in zip(earlier, events):
        assert all(p < event.frame for p in event.packets), (event.frame, event.packets)
        if len(both.packets) < 16 and event.stage != "rx":  # the receiver's own packet follows its rx
            assert sorted(event.packets) == sorted(p for p in both.packets if p < event.frame), (event.frame, event.packets, both.packets)
    missing = [s for s in EGRESS[1:5] + EGRESS[6:] + INGRESS[1:2] + INGRESS[3:] + DELAYS if not seen[s]]
    assert not missing, f"no packet has {missing}"
    assert any(e.transmission for e in events if e.stage == "sched" and e.packets), "nothing was retransmitted"
    print("as counted")


check(*sys.argv[1:])
