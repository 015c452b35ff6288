#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two hosts on one machine, whose clocks are therefore equal, connect to each other by TCP. `tracewire time` finds the pairs of events that
# must be ordered, and no contradiction. In the same capture with the times of one host changed, it shows contradictions with both events.
# Usage: time.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/common.sh"

need python3
hosts host alpha beta
export PYTHONDONTWRITEBYTECODE=1

# connections N: alpha connects N times to beta, and each time one of the two closes first
connections() {
	start_on beta server '^listening' python3 -c '
import socket, sys
server = socket.create_server(("10.2.0.3", 7000))
print("listening", file=sys.stderr, flush=True)
for i in range(int(sys.argv[1])):
    connection, _ = server.accept()
    if i % 2:
        connection.recv(1)
    connection.close()
' "$1"
	on alpha python3 -c '
import socket, sys, time
for i in range(int(sys.argv[1])):
    connection = socket.create_connection(("10.2.0.3", 7000))
    if i % 2 == 0:
        connection.recv(1)
    connection.close()
    time.sleep(0.02)
' "$1" || fail "the client ends with $?"
	wait "$pid"
}

# capture_connections NAME OPTION...: captures the events of both hosts into NAME.pcapng
capture_connections() {
	local name=$1 capture alpha beta
	start_capture "$@" -u 18101 --status 0.2
	capture=$pid
	start_stream alpha -u $capture_host -e sock:inet_sock_set_state -f 'saddr == 10.2.0.2'
	alpha=$pid
	start_stream beta -u $capture_host -e sock:inet_sock_set_state -f 'saddr == 10.2.0.3'
	beta=$pid
	wait_for has_bound "$name" alpha
	wait_for has_bound "$name" beta
	connections 40
	interrupt "$alpha"
	interrupt "$beta"
	end_capture "$capture" "$name"
	"$tracewire" time -q -j --svg "$scratch/$name.svg" "$scratch/$name.pcapng" >"$scratch/$name.json"
	expect "$name: status of time" 0 $?
	python3 "$here/check_time.py" "$name" "$scratch/$name.json" "$scratch/$name.svg" || failed=1
}

here=$(cd -- "$(dirname -- "$0")" && pwd)
capture_connections plain
capture_connections packed --packed
capture_connections aligned --align host

# Each event with a bound has an interval of twice this bound around its packet time.
run 0 "$tracewire" report -q --csv -e time_error,time_earliest,time_latest "$scratch/plain.pcapng"
awk -F, 'NR > 1 && $1 { n++; if ($3 - $2 < 1.99 * $1 - 1e-6 || $3 - $2 > 2.01 * $1 + 1e-6) wrong = $0 }
	END { if (wrong || !n) { print "FAIL: " n " events; " wrong; exit 1 } }' "$scratch/out" || failed=1

# The times of beta are changed by 2 s, which is more than the bounds.
python3 "$here/forge_times.py" "$scratch/plain.pcapng" "$scratch/forged.pcapng" beta 2000000000 || fail "no forged capture"
run 1 "$tracewire" time -q "$scratch/forged.pcapng"
says "$scratch/out" '^  CONTRADICTION in tcp-fin-acknowledged: the second event is (2\.00|1\.99) s before the first, which is ' ||
	fail "no contradiction: $(cat "$scratch/out")"
grep -A 1 '^    beta:tracewire-[0-9]* .* inet_sock_set_state: .*newstate=TCP_CLOSE_WAIT' "$scratch/out" |
	grep -q '^    alpha:tracewire-[0-9]* .* inet_sock_set_state: .*newstate=TCP_FIN_WAIT2' || fail "not both events: $(cat "$scratch/out")"
expect "what a contradiction prints" "" "$(cat "$scratch/err")"
exit $failed
