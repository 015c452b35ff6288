# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the events sockts:ingress_ts, by the clock TAI, with what the readers of received-load.py got.

Usage: received.py JSON FLOWS STAGES
    JSON: of `report --json`; FLOWS: of received-load.py; STAGES: of `doctor`
"""
import collections, json, re, sys, time

TYPES = ["", "rx", "ip", "l4", "socket", "wake", "run", "read"]
HOOKS = ["", "sockops", "tracepoint", "function", "cgroup", "netfilter", "stamp"]
OF_KERNEL = TYPES[1:5]  # stages of each segment and datagram, before it is read
TAI_AHEAD = round((time.clock_gettime_ns(time.CLOCK_TAI) - time.clock_gettime_ns(time.CLOCK_REALTIME)) / 1e9) * 10**9
WORDS = {"function": "function", "tracepoint": "tracepoint", "ingress of": "cgroup", "the netfilter hook": "netfilter"}
failed = False


def expect(what, wanted, got):
    global failed
    if wanted != got:
        failed = True
        print(f"FAIL: {what}: expected {wanted}, got {got}")


def find_hooks(stages):
    """The hook of each stage, as the events name it."""
    found = {}
    for stage, text in re.findall(r"sockts:ingress_ts, stage (\w+): (.*)", stages):
        found[stage] = next((hook for words, hook in WORDS.items() if text.startswith(words)), None)
    return found


def check_hooks(name, flow, events):
    of_read = "tcp_read" if flow["protocol"] == 6 else "udp_read"
    for event in events:
        wanted = hooks.get(of_read if event["type"] == "read" else event["type"])
        if event["type"] == "rx" and event["hook"] == "stamp":
            wanted = "stamp"
        expect(f"{name}: hook of {event['type']}", wanted, event["hook"])


def check_identity(name, flow, events):
    expect(f"{name}: protocol, family", {(flow["protocol"], flow["family"])}, {(e["protocol"], e["family"]) for e in events})
    expect(f"{name}: peers, namespaces", 1, len({(str(e["saddrv6"]), str(e["daddrv6"]), e["dport"], e["netns_cookie"]) for e in events}))
    expect(f"{name}: sockets before l4", {0}, {int(e["cookie"]) for e in events if e["type"] in ("rx", "ip")})
    expect(f"{name}: sockets from l4 on", 1, len({(e["cookie"], e["skaddr"]) for e in events if e["type"] not in ("rx", "ip")}))
    expect(f"{name}: devices", {"lo"}, {e["dev"] for e in events if e["type"] in ("rx", "ip", "l4")})
    expect(f"{name}: readers", {flow["pid"]}, {e["pid"] for e in events if e["type"] in ("wake", "run", "read")})
    expect(f"{name}: holes, backlog", [], [e for e in events if e["hole"] or e["backlog"]])
    expect(f"{name}: seq", [], [e for e in events if e["seq"] != (e["key"] if flow["protocol"] == 6 else 0)])


def check_order(name, events, key):
    """The stages of the message with a key, in the order of their times. Return: them, by their type"""
    mine = sorted((e for e in events if e["key"] == key), key=lambda e: e["software"])
    types = [e["type"] for e in mine]
    expect(f"{name}: order of {key}", [t for t in TYPES if t in types], types)
    return {e["type"]: e for e in mine}


def check_stamp(name, stages, stamp):
    """A packet of TCP comes over lo with the time at which it was to be sent, so the kernel stamps it later."""
    rx, stamp = stages["rx"], stamp + TAI_AHEAD
    if rx["hook"] == "stamp":
        expect(f"{name}: stamp of {rx['key']}", stamp, rx["software"])
    else:
        expect(f"{name}: stamp of {rx['key']} between ip and l4", True, stages["ip"]["software"] <= stamp <= stages["l4"]["software"])


def check(flow, events):
    """Return: number of messages for which the reader was woken, as far as it was blocked"""
    is_tcp = flow["protocol"] == 6
    name = f"{'TCP' if is_tcp else 'UDP'} {'IPv4' if flow['family'] == 2 else 'IPv6'} {flow['mode']}"
    of_type = collections.defaultdict(list)
    for event in events:
        of_type[event["type"]].append(event)
    check_hooks(name, flow, events)
    check_identity(name, flow, events)
    for type_ in OF_KERNEL:
        expect(f"{name}: bytes of {type_}", flow["sizes"], [e["bytes"] for e in of_type[type_]])
    keys = [e["key"] for e in of_type["rx"]]
    if is_tcp:
        expect(f"{name}: keys", flow["sizes"][1:], [(b - a) % 2**32 for a, b in zip(keys, keys[1:])])
    else:
        expect(f"{name}: keys", list(range(len(flow["sizes"]))), keys)
    for type_ in OF_KERNEL:
        expect(f"{name}: keys of {type_}", keys, [e["key"] for e in of_type[type_]])
    expect(f"{name}: bytes of read", [length for length, _ in flow["reads"]], [e["bytes"] for e in of_type["read"]])
    expect(f"{name}: keys of read", keys if flow["mode"] != "late" or not is_tcp else keys[-1:], [e["key"] for e in of_type["read"]])
    expect(f"{name}: wake and run", [e["key"] for e in of_type["wake"]], [e["key"] for e in of_type["run"]])
    stages = {key: check_order(name, events, key) for key in keys}
    for read, (_, stamp) in zip(of_type["read"], flow["reads"]):
        check_stamp(name, stages[read["key"]], stamp)
    print(f"{name}: {len(keys)} messages, {len(of_type['read'])} calls, {len(of_type['wake'])} wake-ups, rx by {of_type['rx'][0]['hook']}")
    return len(of_type["wake"]) if flow["mode"] != "late" else 0


hooks = find_hooks(open(sys.argv[3]).read())
flows = [json.loads(line) for line in open(sys.argv[2])]
of_port = collections.defaultdict(list)
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["event"] == "ingress_ts":
        fields = event["fields"]  # numbers above 2^53 are strings
        names = {"type": TYPES[fields["type"]], "hook": HOOKS[fields["hook"]]}
        of_port[fields["sport"]].append(dict(fields, **names, software=int(fields["software"])))
expect("flows", 12, len(flows))
woken = [check(flow, of_port[flow["port"]]) for flow in flows]
blocked = sum(len(flow["sizes"]) for flow in flows if flow["mode"] != "late")
# A wake-up that comes late is not taken for one by the message, and the emulated machine can stand still at any time.
expect(f"{sum(woken)} of {blocked} messages have wake-ups: more than half", True, 2 * sum(woken) > blocked)
sys.exit(failed)
