# SPDX-License-Identifier: GPL-2.0-or-later
"""Requests that are delayed at known places.

    socket-delays.py requests FAR_NET SPIN RESULT CASE...   sends them; RESULT gets ports, and the begin and end of each request
    socket-delays.py check RESULT REPORT TABLE              compares them with `tracewire report --json` and `tracewire sockets --json`

A client in this network namespace sends requests to a server in the namespace FAR_NET, on two connections: one for requests without the
delay, one for those with it. The requests take turns, so that other load of the machine affects both. A delay must show in its stage,
within 10 % of the increase of the round-trip times that the client measures, and no other stage may grow by more than these 10 %. The delay
itself can vary with the speed of the machine, so a round trip is compared with the stage of the same request.
"""
import ctypes, json, os, signal, socket, statistics, subprocess, sys, time

RULES = 25000
# A rule that does not match, and the kernel has to compare several fields to find out.
RULE = ("add rule ip test rules ip saddr 10.3.0.0/24 ip daddr 10.3.0.0/24 ip protocol tcp ip ttl != 7 ip dscp != 7 tcp sport != 7 "
        "tcp dport != 7 meta mark 7 counter drop")
# The same for iptables, which has two back ends. The older one is fast, so its rules compare lists of ports.
PORTS = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
IPTABLES_RULE = (f"-A rules -s 10.3.0.0/24 -d 10.3.0.0/24 -p tcp -m ttl ! --ttl-eq 7 -m multiport ! --sports {PORTS} "
                 f"-m multiport ! --dports {PORTS} -m multiport ! --ports {PORTS} -m mark --mark 7 -j DROP")
QUEUE = 5  # of netfilter; its program takes 20 ms for each packet
SPIN = "tc qdisc add dev near clsact; tc filter add dev near {} bpf direct-action object-file {} section tc"
NO_SPIN = "tc qdisc del dev near clsact"
# Each case: whose stage shows the delay, the least delay in ms, commands that put it in and remove it. A request or a response has 166
# bytes, which are 33 ms at 5000 bytes/s. The slow program needs 5 ms.
CASES = {
    "tbf": ("client", "qdisc", 20, "tc qdisc add dev near root tbf rate 40kbit burst 200 limit 10000", "tc qdisc del dev near root"),
    "htb": ("client", "qdisc", 20, "tc qdisc add dev near root handle 1: htb default 1; "
            "tc class add dev near parent 1: classid 1:1 htb rate 40kbit burst 1 cburst 1 quantum 1500", "tc qdisc del dev near root"),
    "program_out": ("client", "qdisc", 5, SPIN.format("egress", "$spin"), NO_SPIN),
    "program_in": ("client", "ip", 5, SPIN.format("ingress", "$spin"), NO_SPIN),
    "rules_out": ("client", "tcp", 0.1, "nft add rule ip test output jump rules", "nft flush chain ip test output"),
    "rules_in": ("client", "l4", 0.1, "nft add rule ip test input jump rules", "nft flush chain ip test input"),
    "stopped_reader": ("server", "read", 20, "", ""),
    **{f"{back_end}_{hook}": (side, stage, 0.1, f"{back_end} -A {hook} -j rules", f"{back_end} -F {hook}")
       for back_end in ("iptables-legacy", "iptables-nft")
       for hook, side, stage in (("OUTPUT", "client", "tcp"), ("INPUT", "client", "l4"))},
    **{f"queue_{hook}": ("client", stage, 20, f"iptables-legacy -A {hook} -p tcp -j NFQUEUE --queue-num {QUEUE}",
                         f"iptables-legacy -F {hook}") for hook, stage in (("OUTPUT", "tcp"), ("INPUT", "l4"))},
}
BLOCKS, REQUESTS = 4, 8  # requests in a block
SIZE = 100


def shell(command):
    subprocess.run(["sh", "-ec", command], check=True)


class Connection:
    """A connection to a server of its own, which returns each request."""

    def __init__(self, far_net):
        reader, writer = os.pipe()
        self.server = os.fork()
        if not self.server:
            ctypes.CDLL(None).setns(os.open(far_net, os.O_RDONLY), 0)
            listener = socket.create_server(("10.3.0.2", 0))
            os.write(writer, str(listener.getsockname()[1]).encode())
            peer = listener.accept()[0]
            while request := peer.recv(SIZE):
                peer.send(request)
            os._exit(0)
        self.socket = socket.create_connection(("10.3.0.2", int(os.read(reader, 10))))
        self.port = self.socket.getsockname()[1]
        self.requests = []

    def request(self, stop):
        """Sends a request and waits for its response. If STOP, the server is stopped for the first 20 ms."""
        if stop:
            os.kill(self.server, signal.SIGSTOP)
            os.waitpid(self.server, os.WUNTRACED)
        begin = time.monotonic_ns()
        self.socket.send(b"x" * SIZE)
        if stop:
            time.sleep(0.02)
            os.kill(self.server, signal.SIGCONT)
        self.socket.recv(SIZE)
        self.requests.append((begin, time.monotonic_ns()))

    def end(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # the other server has the descriptor, too
        os.waitpid(self.server, 0)


def requests(far_net, spin, result, *cases):
    os.environ["spin"] = spin
    if any("rules" in case for case in cases):
        subprocess.run(["nft", "-f", "-"], check=True, text=True, input="\n".join([
            "add table ip test", "add chain ip test rules", "add chain ip test output { type filter hook output priority 0; }",
            "add chain ip test input { type filter hook input priority 0; }"] + [RULE] * RULES))
    for back_end in {case.split("_")[0] for case in cases if case.startswith("iptables")}:
        subprocess.run([back_end + "-restore"], check=True, text=True,
                       input="\n".join(["*filter", ":rules -"] + [IPTABLES_RULE] * RULES + ["COMMIT", ""]))
    verdicts = None
    if any(case.startswith("queue") for case in cases):
        verdicts = subprocess.Popen([sys.executable, os.path.dirname(__file__) + "/verdicts.py", str(QUEUE), "0.02"], stdout=subprocess.PIPE)
        assert verdicts.stdout.readline() == b"ready\n"
    done = {}
    for case in cases:
        _, _, _, put_in, remove = CASES[case]
        without, delayed = Connection(far_net), Connection(far_net)
        for _ in range(BLOCKS):
            for _ in range(REQUESTS):
                without.request(False)
            shell(put_in)
            for _ in range(REQUESTS):
                delayed.request(case == "stopped_reader")
            shell(remove)
        for connection in without, delayed:
            connection.end()
        done[case] = [(c.port, c.requests) for c in (without, delayed)]
    if verdicts:
        verdicts.kill()
    json.dump(done, open(result, "w"))


# The events that begin and end a stage, and their types
STAGES = {"tcp": ("egress_ts", 2, 3), "qdisc": ("egress_ts", 3, 4), "ip": ("ingress_ts", 1, 2), "l4": ("ingress_ts", 2, 3),
          "read": ("ingress_ts", 4, 7)}


def other_time(events, stage, requests):
    """The median of what is left of the round trips without this stage."""
    event, first, last = STAGES[stage]
    times = {t: [int(e["fields"]["software"]) for e in events if e["event"] == event and e["fields"]["type"] == t] for t in (first, last)}
    left = []
    for begin, end in requests:
        inside = [[at for at in times[t] if begin <= at <= end] for t in (first, last)]
        if all(inside):
            left.append(end - begin - (inside[1][0] - inside[0][0]))
    assert len(left) >= len(requests) * 0.9, (stage, len(left), "of", len(requests))
    return statistics.median_low(left)


def medians(table, port):
    """The median of each stage of the connection with this port of the client."""
    for side, end in ("client", "local"), ("server", "remote"):
        row, = (r for r in table["flows"] if r["protocol"] == 6 and r[end + "_port"] == port and r[end] == "10.3.0.1")
        for stage, times in row["stages_ns"].items():
            if times and times["count"] >= BLOCKS * REQUESTS * 0.9:
                yield (side, stage), times["p50"]


def check(result, report, table):
    report, table = [json.loads(line) for line in open(report)], json.load(open(table))
    for case, connections in json.load(open(result)).items():
        side, stage, least, _, _ = CASES[case]
        without, delayed = (statistics.median_low(end - begin for begin, end in requests) for _, requests in connections)
        increase = delayed - without
        end = "sport" if side == "client" else "dport"
        left = [other_time([e for e in report if e["fields"].get(end) == port], stage, requests) for port, requests in connections]
        before, after = (dict(medians(table, port)) for port, _ in connections)
        grown = {at: after[at] - before[at] for at in before.keys() & after.keys()}
        print(f"{case}: round trips of {without} and {delayed} ns, {increase} more; outside {stage} {left}; the stages:", grown)
        assert increase >= least * 1e6, "there is no delay"
        assert grown[side, stage] >= increase / 2 and abs(left[1] - left[0]) <= increase / 10, "it is not in its stage"
        # `ack` and `srtt` have the delays of the way back and of the peer; a stopped reader has not run yet.
        others = [at for at in grown if at[1] not in ("ack", "srtt") and (at[1] not in ("wake", "run") or stage != "read")]
        assert all(grown[at] <= increase / 10 for at in others if at != (side, stage)), "it is in other stages"
    print("right")


{"requests": requests, "check": check}[sys.argv[1]](*sys.argv[2:])
