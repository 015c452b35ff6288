# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the events sockts:egress_ts and sockts:egress_stats of clients that sent to port 7777, one after the other, with what they got.

Usage: sent.py JSON CLIENTS STAGES
    JSON: of `report --json`; CLIENTS: a line for each client: ADDRESS MODE N SIZE; client.1 and so on have what it printed
    STAGES: of `doctor`
"""
import collections, json, sys

TYPES = ["", "sendmsg_entry", "sendmsg", "sched", "snd_sw", "snd_hw", "ack"]
OPT_ID = 1
# TCP_NLA_*, except times during which a jiffy can begin
STATS = {4: "data_segs_out", 5: "retransmits", 6: "pacing_rate", 7: "delivery_rate", 8: "cwnd", 9: "reordering", 10: "min_rtt_us",
         11: "recur_retrans", 12: "app_limited", 13: "sndq_size", 14: "ca_state", 15: "ssthresh", 16: "delivered", 17: "delivered_ce",
         18: "bytes_sent", 19: "bytes_retrans", 20: "dsack_dups", 21: "reord_seen", 22: "srtt_us", 23: "timeout_rehash",
         24: "bytes_notsent"}
stages = open(sys.argv[3]).read()
has_entry = {protocol: f"stage {protocol}_entry: " in stages and f"stage {protocol}_entry: none" not in stages for protocol in ("tcp", "udp")}
sockets = collections.defaultdict(list)
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["fields"]["dport"] == 7777:
        sockets[event["fields"]["cookie"]].append((event["event"], event["fields"]))
failed = False


def expect(what, wanted, got):
    global failed
    if wanted != got:
        failed = True
        print(f"FAIL: {what}: expected {wanted}, got {got}")


def check(name, mode, n, events, printed):
    protocol = "udp" if mode.startswith("udp") else "tcp"
    stamps = [fields for event, fields in events if event == "egress_ts"]
    ours = [(TYPES[f["type"]], f["key"]) for f in stamps if f["key_base"] == OPT_ID and f["type"] > 2]
    client = [(words[0], int(words[1])) for words in printed if words[0] != "others"]
    expect(f"{name}: stamps of the client", sorted(client), sorted(ours))
    of_message, transmissions, counts = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
    for f in stamps:
        message = f["seq"] if protocol == "tcp" else (f["key_base"], f["key"])
        of_message[message].append(f["type"])
        counts[TYPES[f["type"]]] += 1
        if f["type"] == 3:
            transmissions[message].append(f["transmission"])
    expect(f"{name}: transmissions", [], [t for t in transmissions.values() if t != list(range(len(t)))])
    expect(f"{name}: packets that were sent again", mode == "lost", any(len(t) > 1 for t in transmissions.values()))
    if mode != "lost":
        expect(f"{name}: steps out of order", [], [types for types in of_message.values() if types != sorted(types)])
    expect(f"{name}: calls of sendmsg()", n + 1, counts["sendmsg"])  # the first message has 10 bytes
    expect(f"{name}: their entries", n + 1 if has_entry[protocol] else 0, counts["sendmsg_entry"])
    if protocol == "udp":
        return
    expect(f"{name}: acknowledgements", [len(transmissions), len(transmissions)],
           [counts["ack"], sum(event == "egress_stats" for event, _ in events)])
    stats = {fields["key"]: fields for event, fields in events if event == "egress_stats"}
    for words in (words for words in printed if words[0] == "ack"):
        values = {STATS[int(number)]: int(value) for number, value in (word.split("=") for word in words[3:]) if int(number) in STATS}
        different = {key: (value, stats[int(words[1])][key]) for key, value in values.items() if stats[int(words[1])][key] != value}
        expect(f"{name}: statistics of key {words[1]}", {}, different)


clients = [line.split() for line in open(sys.argv[2])]
expect("clients", len(clients), len(sockets))
for i, (client, events) in enumerate(zip(clients, sockets.values()), 1):
    check(" ".join(client), client[1], int(client[2]), events, [line.split() for line in open(f"client.{i}")])
sys.exit(failed)
