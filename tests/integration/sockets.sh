#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Socket events: resets and drops that programs cause are recorded as often as the kernel's own tracepoints record them, with the same times,
# reasons and flows. tests/vm runs this script on stock kernels, too. Losses of a ring that is too small are counted exactly. A run that is killed leaves no program in the kernel.
# Usage: sockets.sh TRACEWIRE [slow]; slow: on an emulated machine, which may not fill a small ring
tracewire=$1
. "$(dirname "$0")/common.sh"
need bpftool tc
cd "$scratch" || exit 1
ip link set lo up

# Prints the time by a clock, ns, before and after it causes resets and drops, over IPv4 and IPv6.
cat >cause.py <<'PYTHON'
import socket, struct, subprocess, sys, time

def pair(family, host):
    listener = socket.socket(family)
    listener.bind((host, 0))
    listener.listen()
    one = socket.create_connection(listener.getsockname()[:2])
    two, _ = listener.accept()
    return one, two

clock = {"mono": time.CLOCK_MONOTONIC, "boot": time.CLOCK_BOOTTIME, "tai": time.CLOCK_TAI}[sys.argv[1]]
print(time.clock_gettime_ns(clock))
for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    for _ in range(5):
        try:
            socket.create_connection((host, 9))
        except ConnectionRefusedError:
            pass
    one, two = pair(family, host) # an aborting close
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()
    one, two = pair(family, host) # a close with unread data
    one.send(b"unread")
    two.close()
    sender, receiver = socket.socket(family, socket.SOCK_DGRAM), socket.socket(family, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    receiver.bind((host, 0))
    for _ in range(20): # more than fits the buffer of the receiver
        sender.sendto(bytes(500), receiver.getsockname()[:2])
    sender.sendto(b"nobody", (host, 9))
subprocess.run("tc qdisc add dev lo root tbf rate 8kbit burst 1000 limit 1000", shell=True, check=True)
for _ in range(20): # more than fits the queue
    sender.sendto(bytes(500), ("::1", 9))
subprocess.run("tc qdisc del dev lo root", shell=True, check=True)
print(time.clock_gettime_ns(clock))
PYTHON

# Since Linux 6.10, the kernel has reasons of resets, and traces those that it sends without a socket.
if grep -q 'sk_rst_reason reason' "$tracing/events/tcp/tcp_send_reset/format"; then
	reset_reason=tcp.tcp_send_reset.reason
	resets_min=6000
else
	reset_reason=
	resets_min=3000
fi

# table FILE: prints the events of a recording. The first tshark learns the fields of socket events, for its cache.
table() {
	local fields=() field
	for field in cpu time pid comm system event $reset_reason skb.kfree_skb.reason sockts.{tcp_reset,drop}.reason \
		sockts.tcp_reset.direction tcp.tcp_receive_reset.{sport,dport,sock_cookie} sockts.tcp_reset.{sport,dport,cookie} \
		sockts.drop.{family,protocol,dport,ifindex,netns_cookie}; do
		fields+=(-e "trace.$field")
	done
	tshark -r "$1" >/dev/null 2>tshark.err || fail "tshark: $(cat tshark.err)"
	tshark -r "$1" -Y trace.event -T fields -E header=y "${fields[@]}" 2>tshark.err || fail "tshark: $(cat tshark.err)"
}

# compare NAME CLOCK: records what cause.py does, and compares the socket events with the kernel's own
compare() {
	"$tracewire" record -C "$2" -e sockts:drop,sockts:tcp_reset -e tcp:tcp_send_reset,tcp:tcp_receive_reset,skb:kfree_skb -w "$1.pcapng" \
		-- python3 cause.py "$2" >"$1.times" 2>"$1.err" || fail "$1: $(cat "$1.err")"
	missed=$(ledger "$1" ring) # calls of programs that the kernel skipped, in interrupts of the same program
	expect "$1: its ledger" "closed 0" "$(ledger "$1" state) $(ledger "$1" difference)"
	table "$1.pcapng" >"$1.table"
	unseen_threads >unseen
	python3 - "$1.table" "$1.times" "$missed" unseen <<'PYTHON' || fail "$1: see above"
import csv, sys

begin, end = (int(line) for line in open(sys.argv[2]))
ours, kernels, flows = [], [], []
for row in csv.DictReader(open(sys.argv[1]), delimiter="\t"):
    row = {name.removeprefix("trace."): value for name, value in row.items()}
    seconds, fraction = row["time"].split(".")
    time = int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])
    # The kernel's events leave out those in interrupts of the run's own threads.
    if not begin < time < end or row["comm"].startswith("tracewire"):
        continue
    def number(name):
        return int(row.get(name, "0"), 0) # 0: a reason that the kernel does not have
    of, event = (ours if row["system"] == "sockts" else kernels), row["event"]
    if event == "tcp_send_reset":
        what = "sent", number("tcp.tcp_send_reset.reason")
    elif event == "tcp_receive_reset":
        what = "received", *(number("tcp.tcp_receive_reset." + name) for name in ("sport", "dport", "sock_cookie"))
    elif event == "kfree_skb":
        what = "drop", number("skb.kfree_skb.reason")
    elif event == "tcp_reset" and number("sockts.tcp_reset.direction") == 1:
        what = "sent", number("sockts.tcp_reset.reason")
    elif event == "tcp_reset":
        what = "received", *(number("sockts.tcp_reset." + name) for name in ("sport", "dport", "cookie"))
    elif event == "drop":
        what = "drop", number("sockts.drop.reason")
        flows.append((number("sockts.drop.family"), number("sockts.drop.protocol"), number("sockts.drop.dport")))
    of.append((row["cpu"], time, row["pid"], what))

# Events that programs missed, or for which no program was called
missed, unseen = int(sys.argv[3]), open(sys.argv[4]).read().split()
for event in list(kernels):
    if not missed and event[2] not in unseen:
        continue
    near = [one for one in ours if one[0] == event[0] and one[2:] == event[2:] and abs(one[1] - event[1]) < 50_000_000]
    if not near:
        kernels.remove(event)
        missed -= event[2] not in unseen
# On each CPU, the same events in the same order, at the same time.
for cpu in sorted({event[0] for event in ours + kernels}):
    one, two = ([event for event in of if event[0] == cpu] for of in (ours, kernels))
    if [event[2:] for event in one] != [event[2:] for event in two]:
        sys.exit(f"CPU {cpu}: {len(one)} socket events, {len(two)} of tracepoints; the first different: " +
                 str(next((pair for pair in zip(one, two) if pair[0][2:] != pair[1][2:]), "none")))
    late = max((abs(a[1] - b[1]) for a, b in zip(one, two)), default=0)
    if late > 50_000_000:
        sys.exit(f"CPU {cpu}: times differ by {late} ns")
reasons = [event[3] for event in ours]
sent, received = sum(what[0] == "sent" for what in reasons), sum(what[0] == "received" for what in reasons)
if sent < (14 if "tcp.tcp_send_reset.reason" in row else 4) or received < 14:
    sys.exit(f"only {sent} sent and {received} received resets")
has_reasons = "tcp.tcp_send_reset.reason" in row
if has_reasons and len({what[1] for what in reasons if what[0] == "sent"}) < 3 or len({what[1] for what in reasons if what[0] == "drop"}) < 3:
    sys.exit("too few different reasons: " + str(set(reasons)))
for flow in (2, 17, 9), (10, 17, 9), (2, 6, 9), (10, 6, 9): # family, protocol, port of the packets that nobody received
    if flow not in flows:
        sys.exit(f"no drop of {flow}: " + str(set(flows)))
PYTHON
}
for clock in mono boot tai; do compare $clock $clock; done

# The filter: the producer rejects the other events, and counts them. BPF programs do not know `hook`, so they cannot evaluate this filter.
"$tracewire" record -v -e sockts:drop -f '(family == 10 and reason == "NO_SOCKET") or hook == 9' -w filtered.pcapng -- python3 cause.py mono >/dev/null 2>filtered.err ||
	fail "filtered: $(cat filtered.err)"
expect "filtered: its ledger" "closed 0" "$(ledger filtered state) $(ledger filtered difference)"
events filtered.pcapng trace.sockts.drop.reason trace.sockts.drop.family | sort | uniq -c >filtered.drops
no_socket=$(grep -o '{ [0-9]*, "NO_SOCKET" }' "$tracing/events/skb/kfree_skb/format" | grep -o '[0-9]*')
expect "drops that pass the filter" "$no_socket 10" "$(awk '{ print $2, $3 }' filtered.drops)"
[ "$(awk '{ print $1 }' filtered.drops)" -ge 6 ] || fail "the filter leaves $(cat filtered.drops)"
[ "$(ledger filtered producer_filter)" -ge 20 ] || fail "the filter rejects only $(ledger filtered producer_filter) drops"

# live and stream. The addresses of sockets and of the kernel are hidden on other interfaces than Tracewire's own.
"$tracewire" live -v -e sockts:tcp_reset -- python3 cause.py mono >live.out 2>live.err || fail "live: $(cat live.err)"
[ "$(grep -c ' tcp_reset: family=AF_INET6 .* direction=received ' live.out)" -ge 5 ] || fail "live: $(head -n 5 live.out)"
"$tracewire" vnet up tw0 2>up || fail "vnet up: $(cat up)"
in_background watch tshark -l -i tw0 -Y trace.event
wait_for says watch.err '^Capturing on'
watch=$pid
"$tracewire" stream -v -e sockts:tcp_reset -i tw0 -- python3 cause.py mono >/dev/null 2>stream.err || fail "stream: $(cat stream.err)"
wait_for says watch.out ' tcp_reset: family=AF_INET6 .* direction=received '
interrupt "$watch"
"$tracewire" vnet down tw0 2>/dev/null

# A ring that is too small: each reset is recorded or counted as lost. Another run counts them by the kernel's tracepoints.
cat >flood.py <<'PYTHON'
import socket
for _ in range(3000):
    try:
        socket.create_connection(("127.0.0.1", 9))
    except ConnectionRefusedError:
        pass
PYTHON
"$tracewire" record -v -e tcp:tcp_send_reset,tcp:tcp_receive_reset -w outer.pcapng -- \
	"$tracewire" record -v --buffer-size 4K -e sockts:tcp_reset -w tiny.pcapng -- python3 flood.py >/dev/null 2>tiny.err ||
	fail "tiny: $(cat tiny.err)"
nothing_lost outer
lost=$(ledger tiny ring)
total=$(($(ledger tiny delivered) + lost))
expect "a tiny ring: its ledger" "closed 0" "$(ledger tiny state) $(ledger tiny difference)"
[ "$lost" -gt 0 ] || [ "${2-}" = slow ] || fail "a tiny ring loses nothing"
unseen=$(events outer.pcapng trace.pid | grep -cxFf <(unseen_threads))
[ $((total + unseen)) -ge $resets_min ] && [ "$total" -le "$(ledger outer delivered)" ] ||
	fail "a tiny ring: $total events, $lost of them lost; the other run has $(ledger outer delivered)"

# After SIGKILL, the links are gone.
start_tracewire killed record -v -e sockts -w killed.pcapng
links=$(sed -n 's/^link_id:[[:space:]]*//p' "/proc/$pid"/fdinfo/*)
[ "$(wc -w <<<"$links")" -ge 3 ] || fail "the run has only these links: $links"
kill_at_once "$pid"
no_links() {
	local link
	for link in $links; do ! bpftool link show id "$link" >/dev/null 2>&1 || return 1; done
}
wait_for no_links
"$tracewire" cleanup >cleanup.out 2>&1 || fail "cleanup: $(cat cleanup.out)" # otherwise flags of all connections of this machine stay

# Options for tasks do not fit events without a task, and options for CPUs do not apply.
run 2 "$tracewire" record -e sockts:drop -P 1 -w x.pcapng -- true
says err '--pid and --follow leave out sockts:drop, which has no sender or reader' || fail "$(cat err)"
run 0 "$tracewire" record -e sockts:drop -M -1 -w x.pcapng -- true
says err '^socket events are those of all CPUs: --cpus does not apply' || fail "$(cat err)"

# Refusals: another clock, a filter of the kernel; a kernel that has no type information makes no socket events.
run 2 "$tracewire" record -e sockts:drop -C local -w x.pcapng -- true
says err "cannot read the clock 'local', so the event sockts:drop cannot be recorded with it: choose mono, boot or tai" || fail "$(cat err)"
run 2 "$tracewire" record -e sockts:drop --event-filter 'reason == 3' -w x.pcapng -- true
says err 'sockts:drop is made by a BPF program: use --filter$' || fail "$(cat err)"
run 1 setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$tracewire" record -e sockts -w x.pcapng -- true
says err 'this requires root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN$' || fail "$(cat err)"
mount --bind /dev/null /sys/kernel/btf/vmlinux
run 1 "$tracewire" record -e sockts -w x.pcapng -- true
says err '^tracewire record: this kernel has no type information' && expect "other messages" 1 "$(wc -l <err)" || fail "$(cat err)"
run 0 "$tracewire" record -e sockts,sched_switch -w x.pcapng -- sleep 0.1
says err 'this kernel has no type information' || fail "$(cat err)"
"$tracewire" report x.pcapng 2>/dev/null | grep -q sched_switch || fail "without socket events, the run has no events"
exit $failed
