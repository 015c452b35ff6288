#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pairs about packets (`latency ping ecn rxstack`) count each packet once, as the programs that send and receive them do, and measure
# delays that are known.
# tests/vm runs this script on stock kernels, too, with `all` or `short`. The short form leaves out what does not depend on the kernel.
# Usage: packets.sh TRACEWIRE [all|short]
tracewire=$1
how=${2-all}
for part in namespace check processes network tracing; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh" || exit 1
done
need ping bpftool
need_tracefs
cd "$scratch" || exit 1

start_near_and_far

# Other tests may send packets at the same time, in other network namespaces, but not to this port.
own=/proc/self/ns/net
port=$((20000 + $$ % 10000))

# value FILE PYTHON...: prints the value of each expression about the result in FILE, one a line; p is its first pair, by maps the values of
# each group to its count
value() {
	python3 - "$@" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
p = result["pairs"][0]
by = {tuple(g["by"].values()): g["count"] for g in p["groups"]}
for expression in sys.argv[2:]:
    print(eval(expression))
PYTHON
}

# check NAME FILE PYTHON...: fails if an expression is not true. Expressions about the same file should be in one call, because an emulated
# machine takes a second to start Python.
check() {
	local name=$1 file=$2 values i
	shift 2
	mapfile -t values <<<"$(value "$file" "$@")"
	for ((i = 0; i < $#; i++)); do
		[ "${values[i]-}" = True ] || fail "$name: not ${*:i + 1:1}: $(head -c 800 "$file")"
	done
}

# Each echo has one round trip, with the address and the sequence number that ping shows, and is shorter than ping shows. With -U, ping
# does not use the receive time stamp, which the kernel makes before the IP layer. 0.2 s is how long ping waits for the last reply.
# ping rounds to three digits.
case $how in short) addresses=fd00:3::2 ;; *) addresses='10.3.0.2 fd00:3::2' ;; esac
for address in $addresses; do
	"$tracewire" latency -q -j --netns $own --by daddr,seq ping -- ping -U -c 5 -i 0.2 $address >ping 2>err ||
		fail "latency ping: $(cat err)"
	sed -n '/^{/,$p' ping >ping.json
	echoes=$(sed -nE 's/.*icmp_seq=([0-9]+).*/\1/p' ping | paste -sd' ')
	shown=$(sed -nE "s/.*icmp_seq=([0-9]+) .*time=([0-9.]+) ms.*/'\1': \2/p" ping | paste -sd,)
	check "$address: $shown ms" ping.json "sorted(seq for _, seq in by) == '$echoes'.split()" \
		"p['count'] == 5 and p['left_out']['open'] == 0 and set(a for a, _ in by) == {'$address'}" \
		"all(0 < g['mean'] < {$shown}[g['by']['seq']] * 1.01e6 for g in p['groups'])"
done
# A request without a reply stays open, until the next one with the same id and sequence number begins again. Large echoes are sent in
# fragments.
nsenter --net="/proc/$far/ns/net" sysctl -qw net.ipv4.icmp_echo_ignore_all=1
cat >repeat <<'EOF'
ping -q -e 77 -c 1 -W 1 10.3.0.2
nsenter --net="/proc/$1/ns/net" sysctl -qw net.ipv4.icmp_echo_ignore_all=0
ping -q -e 77 -c 1 10.3.0.2
ping -q -c 3 -i 0.2 -s 4000 10.3.0.2
EOF
"$tracewire" latency -q -j --netns $own ping -- sh repeat "$far" >ping
sed -n '/^{/,$p' ping >ping.json
# The second request is a second after the first.
check "repeated echoes" ping.json "p['count'] == 4 and p['begun'] == 5 and p['left_out']['again'] == 1 and p['left_out']['no_begin'] == 0" \
	"p['max'] < 1e9"

# 30 datagrams with each value of the ECN bits, from near to far. The run ends after all have arrived.
cat >mark.py <<'PYTHON'
import ctypes, os, socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
s = socket.socket(family, socket.SOCK_DGRAM)
port = int(sys.argv[3])
ctypes.CDLL(None).setns(os.open(f"/proc/{sys.argv[2]}/ns/net", os.O_RDONLY), 0)
r = socket.socket(family, socket.SOCK_DGRAM); r.bind((sys.argv[1], port)); r.settimeout(30)
for bits in range(4):
    s.setsockopt(*((41, 67) if ":" in sys.argv[1] else (0, 1)), bits)
    for _ in range(30):
        s.sendto(b"x", (sys.argv[1], port)); r.recv(2)
PYTHON
for address in 10.3.0.2 fd00:3::2; do
	"$tracewire" latency -q -j --by direction,daddr,dport ecn -- python3 mark.py $address $far $port >ecn.json 2>err ||
		fail "latency ecn: $(cat err)"
	check "ECN of $address" ecn.json "all(by[bits, way, '$address', '$port'] == 30 for way in ('in', 'out') for bits in
		('Not-ECT', 'ECT(1)', 'ECT(0)', 'CE'))"
	"$tracewire" latency -q -j --by dport,dev --dev near ecn -- python3 mark.py $address $far $port >ecn.json
	check "ECN of near" ecn.json "by['CE', '$port', 'near'] == 30 and sum(by.values()) >= 120 and all(b[2] == 'near' for b in by)"
done

# 100 messages are read immediately, and 10 after 20 ms. Each message is one segment.
cat >read.py <<'PYTHON'
import socket, time
l = socket.socket(); l.bind(("127.0.0.1", 0)); l.listen(1)
c = socket.create_connection(l.getsockname()); d, _ = l.accept()
for i in range(110):
    c.send(b"x" * 100)
    if i >= 100: time.sleep(0.02)
    d.recv(200)
PYTHON
"$tracewire" latency -q -j --netns $own --by comm rxstack-tcp-socket-read -- python3 read.py >read.json 2>err ||
	fail "latency rxstack: $(cat err)"
# On a busy machine, further reads can be late.
check "reads" read.json "by == {('python3',): 110}" \
	"sum(r['count'] for r in p['rows'] if r['above'] >= 1 << 24) >= 10 and p['max'] > 20e6 and p['p50'] < 10e6"
"$tracewire" latency -q -j --netns $own --nonempty-queue rxstack-tcp-socket-read -- python3 read.py >read.json
check "reads that leave data" read.json "p['count'] == 0"
"$tracewire" latency -q -j --netns "/proc/$far/ns/net" rxstack-tcp-socket-read -- python3 read.py >read.json
check "reads elsewhere" read.json "p['count'] == 0"

# Three stages of UDP datagrams. The mean delay is larger at each later stage.
cat >udp.py <<'PYTHON'
import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); a.bind(("127.0.0.1", 0))
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(100):
    b.sendto(b"x" * 100, a.getsockname()); a.recv(200)
PYTHON
"$tracewire" latency -q -j --dev lo rxstack-ip-start rxstack-udp-start rxstack-udp-socket-enqueued -- python3 udp.py >udp.json 2>err ||
	fail "latency rxstack: $(cat err)"
check "datagrams" udp.json "[x['count'] for x in result['pairs']] == [100] * 3" \
	"sorted(x['mean'] for x in result['pairs']) == [x['mean'] for x in result['pairs']]"

# Data after a lost segment wait for it. A short queue at the far end drops packets.
cat >send.py <<'PYTHON'
import socket, sys, threading
l = socket.create_server(("10.3.0.1", 0))
def send():
    import ctypes, os
    ctypes.CDLL(None).setns(os.open(sys.argv[1], os.O_RDONLY), 0)
    c = socket.create_connection(l.getsockname())
    for _ in range(200): c.send(b"x" * 20000)
    c.close()
t = threading.Thread(target=send); t.start()
d, _ = l.accept(); n = 0
while (data := d.recv(65536)): n += len(data)
t.join()
assert n == 4000000, n
PYTHON
nsenter --net="/proc/$far/ns/net" tc qdisc add dev far root tbf rate 100mbit burst 10k limit 20k
"$tracewire" latency -q -j rxstack-tcp-socket-read -- python3 send.py "/proc/$far/ns/net" >read.json
check "blocked reads" read.json "p['left_out']['blocked'] > 0 and p['begun'] == p['count'] + p['left_out']['blocked']"
"$tracewire" latency -q -j --blocked-reads rxstack-tcp-socket-read -- python3 send.py "/proc/$far/ns/net" >read.json
check "--blocked-reads" read.json "p['left_out']['blocked'] == 0 and p['count'] > 0"

# Nothing stays after SIGKILL. Other processes of this machine may have programs of the same names.
in_background killed "$tracewire" latency rxstack ping ecn
killed=$pid
wait_for says "$scratch/killed.err" '^measuring '
programs=$(sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$killed/fdinfo"/* | sort -u)
[ "$(wc -w <<<"$programs")" -gt 5 ] || fail "the process holds only these programs: $programs"
for program in $programs; do bpftool prog show id "$program" >/dev/null || fail "bpftool does not show program $program"; done
gone() {
	local program
	for program in $programs; do bpftool prog show id "$program" >/dev/null 2>&1 && return 1; done
	return 0
}
kill -KILL $killed
wait_for gone || fail "programs stay after SIGKILL"

[ "$how" = all ] || exit $failed

# For each mistake, the error says what is wrong.
refused() {
	local words=$1
	shift
	"$tracewire" latency "$@" >out 2>err
	expect "status of $*" 2 $?
	grep -q -- "$words" err || fail "latency $*: $(cat err)"
}
refused "no interface 'nosuch'" --dev nosuch ping
refused "no network namespace 'nosuch'" --netns nosuch ping
refused "no field 'dadr': did you mean daddr" --by dadr ping
refused "is measured only live" ping some.pcapng
refused "is for the pairs ping" --dev near runqlat
refused "top needs" --top 3 ping
refused "other network namespaces" --dev lo --netns "/proc/$far/ns/net" ping
refused "selects reads" -P 1 ping
refused "not possible with ecn" -M 1 ecn
refused "filter cannot be applied" -f 'len > 3' ping
exit $failed
