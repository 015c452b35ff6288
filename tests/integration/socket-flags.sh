#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that set flags of sockets: connections of other network namespaces have events, also those of IPv6 alone. A run says that it waits for
# another run, and ends at a signal meanwhile. What it then leaves is cleared by a cleanup.
# Usage: socket-flags.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"
need bpftool ip python3
cd "$scratch" || exit 1
grep -q "'bpf_sock_ops_enable_tx_tstamp'" <(bpftool btf dump file /sys/kernel/btf/vmlinux 2>/dev/null) ||
	skip "this kernel has no time stamps for BPF"
grep -q ' cgroup2 ' /proc/mounts || skip "cgroup2 is not mounted"
start_far
in_far ip link set lo up
mine="netns_cookie == $(netns_cookie in_far)"

# Connections, which exchange a message each time a file appears.
cat >talk.py <<'PYTHON'
import os, socket, sys, time
pairs = []
for address in sys.argv[1:]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, 7300), family=family)
    pairs.append((socket.create_connection((address, 7300)), listener.accept()[0]))
    listener.close()
print("connected", flush=True)
while True:
    while not os.path.exists("go"): time.sleep(0.01)
    os.unlink("go")
    for client, server in pairs:
        client.sendall(b"x")
        server.recv(1)
    print("sent", flush=True)
PYTHON
in_background talk nsenter --net="/proc/$far/ns/net" python3 talk.py ::1
wait_for says talk.out '^connected'
# begin NAME: starts a run that records the events of the connection
begin() {
	in_background "$1" "$tracewire" record -e sockts:egress_ts -f "$mine" -w "$1.pcapng"
	run=$pid
}
states() { ls /run/tracewire | grep -vx bpf | tr '\n' ' '; } # prints the state files
hold() { # starts a process, $holder, that holds the lock of runs
	mkdir -p /run/tracewire # the last run has removed it
	in_background holder python3 -uc 'import fcntl, time; file = open("/run/tracewire/lock-of-sockets", "w"); fcntl.flock(file, 2); print("locked"); time.sleep(600)'
	holder=$pid
	wait_for says holder.out '^locked'
}
existing() { # whether a run has events of the connection
	begin there
	wait_for says there.err '^recording to'
	sent=$(wc -l <talk.out)
	touch go
	wait_for has_sent
	interrupt "$run" || fail "there: $(cat there.err)"
	[ "$("$tracewire" report -q --csv -e egress_ts.dport -f 'egress_ts.type == 2' there.pcapng | sed 1d | sort -u)" = 7300 ]
}
has_sent() { [ "$(wc -l <talk.out)" -gt "$sent" ]; }
existing || existing || existing || fail "no events of a connection in another namespace" # the kernel can skip programs

# From here on, the state files are those of this test: a lock that the test holds does not stop other runs. For these, the runs of the test
# set no flags of other namespaces.
mount -t tmpfs none /run

# Another process holds the lock: a run waits for it, says so, and ends at a signal. The lock is held until the end of the test.
hold
begin waiting
wait_for says waiting.err '^waiting for another run of Tracewire'
kill -TERM "$run"
wait "$run"
says waiting.err 'a signal has ended the wait for another run' || fail "a run that waits: $(cat waiting.err)"
expect "state files" "lock-of-sockets " "$(states)"
kill_at_once "$holder"

# The same at the end of a run: a second signal ends the wait.
begin ending
wait_for says ending.err '^recording to'
hold
kill -INT "$run"
wait_for says ending.err '^waiting for another run of Tracewire'
kill -INT "$run"
wait "$run" || fail "ending: $(cat ending.err)"
says ending.err '^the flags of TCP sockets stay for now' || fail "the end of a run: $(cat ending.err)"
expect "state files after the end" "lock-of-sockets sockets-tracewire-$run " "$(states)"
kill_at_once "$holder"
"$tracewire" cleanup >cleanup.out 2>&1 || fail "cleanup: $(cat cleanup.out)"
says cleanup.out "^removed socket flags tracewire-$run" || fail "the cleanup says: $(cat cleanup.out)"
expect "state files after a cleanup" "" "$(states | sed 's/lock-of-sockets //')"
exit $failed
