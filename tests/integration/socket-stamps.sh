#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The time stamps of sent TCP data (sockts:egress_ts). A client that asks the kernel for time stamps itself (SO_TIMESTAMPING) gets the same
# ones, and the same as without a recording. Flags of sockets are cleared, also after SIGKILL.
# Usage: socket-stamps.sh TRACEWIRE STAMPS DROP.bpf.o FLAGGED.bpf.o
tracewire=$1
stamps=$2
drop=$3
flagged=$4
reader=$(realpath "$(dirname "$0")")/stamps.py
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need bpftool tc python3
need_tracefs
cd "$scratch" || exit 1
need_socket_stamps

start_near_and_far
in_background sink in_far "$stamps" sink 7777
wait_for says "$scratch/sink.out" ready

# await_quiet: waits, but not for ever, until no other run follows TCP. Such runs set and clear flags of all connections of the machine.
await_quiet() {
	local root
	root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	for _ in $(seq 150); do
		bpftool cgroup show "$root" | grep -q sock_ops || return
		sleep 0.2
	done
}

# record NAME WORD...: records while the client sends; NAME.client and NAME.events have what the client and the recording got
record() {
	local name=$1
	shift
	await_quiet
	"$tracewire" record -q -e sockts:egress_ts -w "$name.pcapng" -- "$stamps" send "$@" >"$name.client" 2>"$name.err" ||
		fail "$name: $(cat "$name.err")"
	"$tracewire" report -q --json "$name.pcapng" >"$name.json" 2>"$name.err" || fail "$name: report: $(cat "$name.err")"
	python3 "$reader" events "$name.json" >"$name.events"
}

# With us and without us, the client gets the same types and keys, and no other message. On a busy machine, the kernel may send a packet
# twice, or send one with MSG_MORE before the next call; a run of others that ends can clear the flag. The case is then repeated.
keys() { # FILE: what the client got, without times
	cut -d ' ' -f 1,2 "$1" | sort -u
}
for case in "id 10.3.0.2" "tcp fd00:3::2" "more 10.3.0.2" "third fd00:3::2"; do
	read -r mode address <<<"$case"
	for _ in 1 2 3; do
		"$stamps" send "$address" 7777 "$mode" 30 100 3000 >alone
		record "with" "$address" 7777 "$mode" 30 100 3000
		result=$(python3 "$reader" compare with.events with.client 2>&1)
		[ "$(keys alone)" = "$(keys with.client)" ] && [ "$result" = same ] && break
	done
	expect "$case: alone and with a recording" "$(keys alone)" "$(keys with.client)"
	expect "$case: client and events" same "$result"
done
# A client that does not ask gets nothing. Its keys begin at its first byte.
cat >plain.py <<'PYTHON'
import json
events = [json.loads(line) for line in open("plain.events")]
keys = {t: sorted(e["key"] for e in events if e["type"] == t) for t in ("sendmsg_entry", "sendmsg", "sched", "snd_sw", "ack")}
order = {k: [e["software"] for t in keys for e in events if (e["type"], e["key"]) == (t, k)] for k in keys["ack"]}
assert all(v == keys["ack"] for v in keys.values()), keys
assert all(times == sorted(times) for times in order.values()), order
assert all(e["comm"] == "integration_sta" and e["transmission"] == 0 and e["bytes"] == (10 if e["key"] == 9 else 100) for e in events), events
print(*{e["key_base"] for e in events}, keys["ack"])
PYTHON
wanted="first [9, 109, 209, 309, 409, 509, 609, 709, 809, 909, 1009]"
for _ in 1 2 3; do
	record plain 10.3.0.2 7777 plain 10 100 2000
	result=$(python3 plain.py 2>&1)
	[ "$result" = "$wanted" ] && break
done
expect "client that does not ask" "others 0" "$(cat plain.client)"
expect "keys of a client that does not ask" "$wanted" "$result"
# In a tunnel, the packet has its payload and key also at the device that carries it.
add_tunnel() { # ADDRESS OWN OTHER [COMMAND...]
	"${@:4}" ip link add tunnel type vxlan id 5 local "$2" remote "$3" dstport 4789 2>/dev/null || return
	"${@:4}" ip addr add "$1" dev tunnel
	"${@:4}" ip link set tunnel up
}
if add_tunnel 10.4.0.1/24 10.3.0.1 10.3.0.2 && add_tunnel 10.4.0.2/24 10.3.0.2 10.3.0.1 in_far; then
	cat >tunnel.py <<'PYTHON'
import json
events = [json.loads(line) for line in open("tunnel.events")]
sched = {(e["key"], e["ifindex"], e["bytes"]) for e in events if e["type"] == "sched"}
sent = {(e["key"], e["bytes"]) for e in events if e["type"] == "snd_sw"}
print(len({ifindex for _, ifindex, _ in sched}), len(sched), sent == {(9, 10)} | {(key, 100) for key in range(109, 1010, 100)})
PYTHON
	for _ in 1 2 3; do
		record tunnel 10.4.0.2 7777 plain 10 100 2000
		result=$(python3 tunnel.py 2>&1)
		[ "$result" = "2 22 True" ] && break
	done
	expect "devices, packets and bytes in a tunnel" "2 22 True" "$result"
else
	echo "this kernel has no VXLAN: tunnels are not tried"
fi
# Lost segments are sent again, and count their transmissions.
in_far tc qdisc add dev far clsact
in_far tc filter add dev far ingress bpf da obj "$drop" sec tc
cat >lost.py <<'PYTHON'
import collections, json
times = collections.defaultdict(list)
for e in map(json.loads, open("lost.events")):
    if e["type"] == "sched": times[e["key"]].append(e["transmission"])
print(all(t == list(range(len(t))) for t in times.values()) and sum(len(t) > 1 for t in times.values()) > 3)
PYTHON
for _ in 1 2 3; do
	record lost 10.3.0.2 7777 tcp 50 1000 5000
	result=$(python3 "$reader" compare lost.events lost.client 2>&1)
	transmissions=$(python3 lost.py 2>&1)
	[ "$result" = same ] && [ "$transmissions" = True ] && break
done
in_far tc qdisc del dev far clsact
expect "lost segments" same "$result"
expect "transmissions" True "$transmissions"

# The state of the connection that comes with an acknowledgement is the one that the client gets (SOF_TIMESTAMPING_OPT_STATS).
cat >stats.py <<'PYTHON'
import json, socket, sys
netns = int.from_bytes(socket.socket().getsockopt(socket.SOL_SOCKET, 71, 8), sys.byteorder)
names = {1: "busy_us", 2: "rwnd_limited_us", 3: "sndbuf_limited_us", 4: "data_segs_out", 5: "retransmits", 6: "pacing_rate",
         7: "delivery_rate", 8: "cwnd", 9: "reordering", 10: "min_rtt_us", 11: "recur_retrans", 12: "app_limited", 13: "sndq_size",
         14: "ca_state", 15: "ssthresh", 16: "delivered", 17: "delivered_ce", 18: "bytes_sent", 19: "bytes_retrans", 20: "dsack_dups",
         21: "reord_seen", 22: "srtt_us", 23: "timeout_rehash", 24: "bytes_notsent"}  # TCP_NLA_*
events = {e["key"]: e for e in (json.loads(line)["fields"] for line in open("stats.json"))
          if e["dport"] == 7777 and e["key"] != 9 and int(e["netns_cookie"]) == netns}
client = [line.split() for line in open("stats.client") if line.startswith("ack")]
times = ("busy_us", "rwnd_limited_us", "sndbuf_limited_us")  # a jiffy can begin in between
for _, key, _, *stats in client:
    stats = {names[int(n)]: int(v) for n, v in (word.split("=") for word in stats) if int(n) in names}
    different = {n: (v, events[int(key)][n]) for n, v in stats.items() if v != events[int(key)][n] and n not in times}
    assert not different and len(stats) == len(names), (key, different, len(stats))
elapsed = [e["peer_elapsed"] for e in events.values()]
assert len(client) == len(events) == 30 and elapsed == sorted(elapsed) and elapsed[-1] >= 290, (len(client), len(events), elapsed)
print("same")
PYTHON
for _ in 1 2 3; do
	await_quiet
	"$tracewire" record -q -e sockts:egress_stats -w stats.pcapng -- "$stamps" send 10.3.0.2 7777 stats 30 100 10000 >stats.client \
		2>stats.err || fail "stats: $(cat stats.err)"
	"$tracewire" report -q --json stats.pcapng >stats.json
	result=$(python3 stats.py 2>&1)
	[ "$result" = same ] && break
done
expect "statistics" same "$result"

# Connections that exist when a recording begins are followed.
mkdir bpf
mount -t bpf bpf bpf
at_end 'umount "$scratch/bpf"'
bpftool iter pin "$flagged" bpf/flagged || fail "the iterator cannot be pinned"
flags() {
	wc -l <bpf/flagged
}
has_connection() {
	[ -n "$(ss -Htn state established dport = 7777)" ]
}
has_no_connection() {
	[ -z "$(ss -Htn dport = 7777)" ]
}
has_flags() {
	[ "$(flags)" = "$1" ]
}
has_mine() { # RUN: its state file is there
	[ -e "/run/tracewire/sockets-tracewire-$1" ]
}
# wrong WHAT WANTED GOT: as expect, but notes the difference in $wrong
wrong() {
	[ "$2" = "$3" ] || wrong+="$1: expected '$2', got '$3'"$'\n'
}
# The flag of a connection that exists is set for a recording, and cleared when it ends. After SIGKILL, a cleanup clears it. Another
# recording of the same connection goes on, and then owns the flag. Two recordings do not have to see the same BPF filesystem.
follow_existing() {
	local client
	await_quiet
	in_background client "$stamps" send 10.3.0.2 7777 plain 1000000 100 20000
	client=$pid
	wait_for has_connection
	wrong "flags at the beginning" 0 "$(flags)"
	"$tracewire" record -q -e sockts:egress_ts -w existing.pcapng -- sleep 0.5 2>existing.err || fail "existing: $(cat existing.err)"
	wrong "flags at the end" 0 "$(flags)"
	in_background killed "$tracewire" record -q -e sockts:egress_ts -w killed.pcapng
	killed=$pid
	wait_for has_mine "$killed"
	wait_for has_flags 1
	in_background other "$tracewire" record -e sockts:egress_ts -w other.pcapng
	other=$pid
	wait_for says other.err '^recording to'
	kill_at_once "$killed"
	wrong "flags after SIGKILL" 1 "$(flags)"
	"$tracewire" cleanup >cleanup.out 2>&1 || fail "cleanup: $(cat cleanup.out)"
	says cleanup.out "^removed socket flags tracewire-$killed" || wrong+="cleanup says: $(cat cleanup.out)"$'\n'
	wrong "flags while another recording goes on" 1 "$(flags)"
	interrupt "$other" || fail "other: $(cat other.err)"
	wrong "flags after the other recording" 0 "$(flags)"
	in_background killed "$tracewire" record -q -e sockts:egress_ts -w killed.pcapng
	killed=$pid
	wait_for has_mine "$killed"
	wait_for has_flags 1
	kill_at_once "$killed"
	"$tracewire" cleanup >cleanup.out 2>&1 || fail "cleanup: $(cat cleanup.out)"
	wrong "flags after a cleanup" 0 "$(flags)"
	in_background first unshare --mount sh -c 'umount -l /sys/fs/bpf; umount -l /run/tracewire/bpf; exec "$0" "$@"' \
		"$tracewire" record -q -e sockts:egress_ts -w first.pcapng
	first=$pid
	wait_for has_mine "$first"
	wait_for has_flags 1
	in_background other "$tracewire" record -e sockts:egress_ts -w other.pcapng
	other=$pid
	wait_for says other.err '^recording to'
	interrupt "$first"
	wrong "flags after a recording in another mount namespace" 1 "$(flags)"
	interrupt "$other"
	wrong "flags after both recordings" 0 "$(flags)"
	kill_at_once "$client"
	wait_for has_no_connection
}
# Runs of others follow the connections of all network namespaces, too, and keep flags. Another try then has another connection.
for _ in 1 2 3 4 5; do
	wrong=
	follow_existing
	[ -n "$wrong" ] || break
	echo "again: $wrong"
done
[ -z "$wrong" ] || fail "$wrong"
"$tracewire" report -q --json existing.pcapng >existing.json
python3 "$reader" events existing.json >existing.events
expect "base of the keys of a connection that existed" '"seen"' "$(sed -E 's/.*"key_base": ("[a-z_]*").*/\1/' existing.events | sort -u)"
expect "state files" "" "$(ls /run/tracewire 2>/dev/null | grep -E "^sockets-tracewire-($killed|$first|$other)$")"

exit $failed
