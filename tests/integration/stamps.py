# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the events sockts:egress_ts of the client `stamps`, which sends to port 7777 in this network namespace.

Usage: stamps.py events JSON: prints the fields of its events, one JSON object a line, with names of types. JSON: from `report --json`
       stamps.py compare EVENTS CLIENT: compares what the client got with the events: equal types and keys, and times. Prints "same", or
       the differences
"""
import collections, json, socket, struct, sys

TYPES = ["", "sendmsg_entry", "sendmsg", "sched", "snd_sw", "snd_hw", "ack"]
SO_NETNS_COOKIE = 71
BASES = ["", "opt_id", "first", "seen"]


def events(report):
    here = struct.unpack("Q", socket.socket().getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8))[0]
    for line in open(report):
        event = json.loads(line)
        fields = event["fields"]
        if event["event"] == "egress_ts" and fields["dport"] == 7777 and int(fields["netns_cookie"]) == here:
            print(json.dumps(dict(fields, type=TYPES[fields["type"]], key_base=BASES[fields["key_base"]])))


def compare(of_events, of_client):
    recorded, client = collections.defaultdict(list), collections.defaultdict(list)
    for line in open(of_events):
        e = json.loads(line)
        if e["key_base"] == "opt_id" and e["type"] in ("sched", "snd_sw", "ack"):
            recorded[e["type"], e["key"]].append(e["software"])
    for line in open(of_client):
        words = line.split()
        if words[0] != "others":
            client[words[0], int(words[1])].append(int(words[2]))
    if {k: len(v) for k, v in recorded.items()} != {k: len(v) for k, v in client.items()}:
        sys.exit(f"only events: {sorted(recorded.keys() - client.keys())}, only the client: {sorted(client.keys() - recorded.keys())}")
    apart = sorted(abs(a - b) for k in client for a, b in zip(sorted(recorded[k]), sorted(client[k])))
    if not apart:
        sys.exit("nothing to compare")
    if apart[len(apart) // 2] > 5000 or apart[len(apart) * 8 // 10] > 50000:  # others can run between the two clock readings
        sys.exit(f"times are apart: median {apart[len(apart) // 2]} ns, of {len(apart)}")
    print("same")


{"events": events, "compare": compare}[sys.argv[1]](*sys.argv[2:])
