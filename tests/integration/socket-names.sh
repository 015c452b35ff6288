#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Selection of socket events by names: of cgroups, containers, network namespaces and interfaces.
# Usage: socket-names.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need bpftool ip python3
cd "$scratch" || exit 1
need_socket_stamps
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ "$(stat -c %i "$cgroups")" = 1 ] || skip "this is a cgroup namespace"
ip link set lo up
ip link add veth0 type veth peer name veth1
ip netns add "names-$$" || fail "no named network namespace"
at_end 'ip netns del "names-$$"'
ip link set veth1 netns "names-$$"
ip addr add 10.9.0.1/24 dev veth0
ip link set veth0 up
ip -n "names-$$" addr add 10.9.0.2/24 dev veth1
ip -n "names-$$" link set veth1 up
ip -n "names-$$" link set lo up

id=$(printf '%064x' $$)
top=/tracewire-test-$$
container="$top/machine.slice/docker-$id.scope"
machine="$top/machine.slice/machine-web\\x2d$$.scope"
mkdir -p "$cgroups$container/app" "$cgroups$machine" || skip "cgroups cannot be made"
leave_cgroups() {
	find "$cgroups$top" -depth -type d -exec rmdir {} \;
}
at_end leave_cgroups

# Exchanges messages of TCP and datagrams in a cgroup, over an address.
cat >talk.py <<'PYTHON'
import os, socket, sys
cgroup, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
if cgroup:
    open(cgroup + "/cgroup.procs", "w").write(str(os.getpid()))
listener = socket.create_server((address, port))
client = socket.create_connection((address, port))
server, _ = listener.accept()
for i in range(10):
    client.sendall(bytes(100))
    server.recv(100, socket.MSG_WAITALL)
client.close()
server.recv(1)
receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
receiver.bind((address, port))
for i in range(10):
    sender.sendto(bytes(50), (address, port))
    receiver.recv(100)
try: socket.create_connection((address, port + 1))
except ConnectionRefusedError: pass
PYTHON
# In the container, in a cgroup below it, in the machine, and in none of them; then in the other namespace.
cat >cause.sh <<CAUSE
python3 talk.py "$cgroups$container" 127.0.0.1 7201 &&
python3 talk.py "$cgroups$container/app" 127.0.0.1 7211 &&
python3 talk.py "$cgroups$machine" 127.0.0.1 7221 &&
python3 talk.py "" 127.0.0.1 7231 &&
ip netns exec names-$$ python3 talk.py "" 10.9.0.2 7241 &&
ping -q -c 3 -i 0.01 10.9.0.2 >/dev/null
CAUSE

# Prints "EVENT PORT NUMBER" for each event with steps and the port of a listener; PORT is 0 for other events.
cat >count.py <<'PYTHON'
import collections, json
n = collections.Counter()
for line in open("events.json"):
    event = json.loads(line)
    f = event["fields"]
    ports = [p for p in (f["sport"], f["dport"]) if 7200 < p < 7250]
    n[event["event"], f.get("type", 0), (ports or [0])[0]] += 1
for (event, type, port), number in sorted(n.items()):
    print(f"{event}.{type} {port} {number}")
PYTHON

# record_with EVENTS OPTION...: records all of this with options; the events are in `counts`
record_with() {
	local events=$1
	shift
	"$tracewire" record -e "$events" -w run.pcapng "$@" -- sh cause.sh 2>record.err || fail "record $*: $(cat record.err)"
	"$tracewire" report -q --json run.pcapng >events.json 2>report.err || fail "report: $(cat report.err)"
	python3 count.py >counts
}
ports() { cut -d' ' -f2 counts | sort -u | tr '\n' ' '; } # prints the ports of the events
count() { awk -v key="$1 $2" '$1 " " $2 == key { n = $3 } END { print n + 0 }' counts; } # EVENT.TYPE PORT: prints the number

all=sockts:egress_ts,sockts:ingress_ts,sockts:tcp_reset
# check_stages PORT: the messages that a program exchanges at a port have all stages at which their socket is known
check_stages() {
	for stage in egress_ts.1 egress_ts.6 ingress_ts.4 ingress_ts.7; do
		[ "$(count "$stage" "$1")" -ge 10 ] || fail "$stage of port $1: $(count "$stage" "$1")"
	done
	expect "rx of port $1" 0 "$(count ingress_ts.1 "$1")"
}

# Whether the table of the last run has an unknown number of resets; those without a socket are unknown if sockets are selected.
lacks_resets() {
	"$tracewire" sockets -q -j run.pcapng |
		python3 -c 'import json, sys; print(None in {flow["resets_sent"] for flow in json.load(sys.stdin)["flows"]})'
}

record_with $all --cgroup "$container"
expect "ports of a cgroup" "7201 7202 7211 7212 " "$(ports)"
expect "resets of a cgroup are unknown" True "$(lacks_resets)"
check_stages 7201
check_stages 7211
record_with $all --container "${id:0:61}" --container "web-$$"
expect "ports of two containers" "7201 7202 7211 7212 7221 7222 " "$(ports)"
record_with $all --container "${top#/}" # as runc names the cgroup of a container
expect "ports of a container with a plain name" "7201 7202 7211 7212 7221 7222 " "$(ports)"
record_with $all --cgroup "$cgroups$container/app" -f 'any.sport != 7212 and any.dport != 7212'
expect "ports of a cgroup and a filter" "7211 " "$(ports)"
check_stages 7211
record_with $all --netns "names-$$"
expect "ports in a network namespace" "7241 7242 " "$(ports)"
[ "$(count ingress_ts.1 7241)" -ge 20 ] || fail "rx in a network namespace: $(cat counts)"
expect "resets in a network namespace are unknown" False "$(lacks_resets)"
record_with sockts:ingress_ts,sockts:icmp_echo,sockts:tcp_reset --netdev veth0
expect "events at an interface" "icmp_echo.1 0 3
icmp_echo.2 0 3" "$(cat counts)"
expect "a sentence" 1 "$(grep -c -- '--netdev leaves out sockts:tcp_reset, which has no interface' record.err)"

# --follow: the command and what it starts; a task that was there before is not selected. The sum of two cases: a child and a thread.
cat >child.py <<'PYTHON'
import os, threading
def run(port): os.system(f"python3 talk.py '' 127.0.0.1 {port}")
thread = threading.Thread(target=run, args=(7201,)); thread.start(); thread.join()
PYTHON
in_background other sh -c 'while ! [ -e stop ]; do python3 talk.py "" 127.0.0.1 7231; done'
"$tracewire" record -F -e $all,sockts:drop -w run.pcapng -- python3 child.py 2>record.err || fail "record --follow: $(cat record.err)"
touch stop
"$tracewire" report -q --json -f 'system == sockts' run.pcapng >events.json 2>report.err || fail "report: $(cat report.err)"
python3 count.py >counts
expect "ports of a command" "7201 " "$(ports)"
for stage in egress_ts.2 egress_ts.4 egress_ts.6 ingress_ts.7; do
	[ "$(count "$stage" 7201)" -ge 10 ] || fail "--follow, $stage: $(cat counts)"
done
expect "sentences of --follow" 2 "$(grep -c -- '^--pid and --follow leave out' record.err)"
# A thread that executes a program gets the id of the process.
cat >execute.py <<'PYTHON'
import os, threading, time
threading.Thread(target=os.execvp, args=("python3", ["python3", "talk.py", "", "127.0.0.1", "7202"])).start()
time.sleep(60)
PYTHON
"$tracewire" record -F -e sockts:egress_ts -w run.pcapng -- python3 execute.py 2>record.err || fail "record --follow: $(cat record.err)"
"$tracewire" report -q --json -f 'system == sockts' run.pcapng >events.json 2>report.err || fail "report: $(cat report.err)"
python3 count.py >counts
[ "$(count egress_ts.2 7202)" -ge 10 ] || fail "--follow, a program that a thread executes: $(cat counts)"

# A cgroup that is removed during a run
mkdir -p "$cgroups$top/gone"
in_background gone "$tracewire" record -e sockts:drop --cgroup "$top/gone" --cgroup "$container" -w gone.pcapng
run=$pid
wait_for says gone.err '^recording to'
rmdir "$cgroups$top/gone"
wait_for says gone.err "^the selected cgroup $top/gone was removed"
interrupt "$run" || fail "a cgroup that is removed: $(cat gone.err)"
expect "sentences about removed cgroups" 1 "$(grep -c 'was removed' gone.err)"

# refused WORDS OPTION...: a usage error, with these words
refused() {
	local words=$1
	shift
	"$tracewire" record -w no.pcapng "$@" -- true >refused.out 2>&1
	expect "exit status of $*" 2 $?
	grep -qF -- "$words" refused.out || fail "$*: $(cat refused.out)"
}
refused "there is no such cgroup" -e sockts --cgroup /no/such/cgroup
refused "is not a path" -e sockts --cgroup nginx
refused "cgroups have only the id" -e sockts --container no-such-container
refused "is not a network namespace" -e sockts --netns no-such-netns
refused "is not a network namespace" -e sockts --netns /etc/passwd/net
refused "there is no such cgroup" -e sockts --cgroup /cgroup.procs/x
refused "has no such interface" -e sockts --netdev none0
refused "record: --netdev applies to socket events, and none is selected: add -e sockts" -e sched --netdev lo
refused "record: --sample applies to socket events, and none is selected: add -e sockts" -e sched --sample 10
refused "record: --sample applies to the messages of sockts:egress_ts" -e sockts:drop,sockts:held,sched --sample 10
refused "record: --max-cpu applies to the messages of sockts:egress_ts" -e sockts:tcp_reset --max-cpu 10
refused "which has no interface" -e sockts:tcp_reset --netdev lo
exit $failed
