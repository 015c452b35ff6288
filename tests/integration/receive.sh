#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stream to another network namespace is received through AF_XDP: all events arrive, in order, for any frame size, and other traffic
# continues. Killed receivers leave nothing.
# Usage: receive.sh TRACEWIRE RECEIVER LOAD
tracewire=$1
receiver=$2
load=$3
. "$(dirname "$0")/common.sh"
need python3 ip nsenter

in_background host unshare --net sleep 1000
host=$pid
there() { # COMMAND...: runs it on the receiving host
	nsenter -t "$host" -n "$@"
}
has_moved() {
	[ "$(readlink /proc/self/ns/net)" != "$(readlink "/proc/$host/ns/net")" ]
}
wait_for has_moved
ip link add v0 type veth peer name v1 netns "$host"
ip address add 10.0.0.1/24 dev v0
ip link set v0 up
there ip address add 10.0.0.2/24 dev v1
there ip link set v1 up
there ip link set lo up
wait_for is_up v0
wait_for is_up v1 there
address=$(there ip -br link show v1 | awk '{ print $3 }')

at=v1 # the receiving interface
calls='event != sys_enter or raw_syscalls.sys_enter.id == 110' # the load calls getppid of x86-64, and few other processes do

set_mtu() { # BYTES
	local interface
	ip link set v0 mtu "$1"
	for interface in v1 "$at"; do there ip link set "$interface" mtu "$1"; done
}

start_receiver() { # NAME
	in_background "$1" nsenter -t "$host" -n "$receiver" xdp "$at"
	wait_for says "$scratch/$1.err" '^receiving: '
}

program_there() {
	there ip -d link show "$at" | grep -oE 'prog/xdp'
}

no_program_there() {
	[ -z "$(program_there)" ]
}

# Other traffic: a TCP connection like that of a login, whose server answers in upper case.
cat >"$scratch/echo.py" <<'END'
import socket
listening = socket.create_server(("10.0.0.2", 2222))
print("listening", flush=True)
while True:
    connection, _ = listening.accept()
    while data := connection.recv(65536):
        connection.sendall(data.upper())
END
cat >"$scratch/talk.py" <<'END'
import socket
with socket.create_connection(("10.0.0.2", 2222), timeout=20) as connection:
    for n in range(200):
        connection.sendall(b"x" * 1000)
        answer = b""
        while len(answer) < 1000:
            answer += connection.recv(65536)
        assert answer == b"X" * 1000
print("talked")
END
in_background echo nsenter -t "$host" -n python3 "$scratch/echo.py"
wait_for says "$scratch/echo.out" '^listening'

# all_comes MTU EVENTS_PER_FRAME FRAME_SIZE: all events arrive. The stream has fewer frames than the receiver's ring can hold, so that a
# slow receiver loses none.
all_comes() {
	local what="$at, MTU $1, $2 events a frame, at most $3 bytes" events frames missing disordered dropped untaken how ns
	set_mtu "$1"
	start_receiver receiver
	in_background talk python3 "$scratch/talk.py"
	"$tracewire" stream -v -e sched -e raw_syscalls:sys_enter -f "$calls" -i v0 --destination "$address" --events-per-frame "$2" --frame-size "$3" --follow -- "$load" 1 15000 \
		>"$scratch/load.out" 2>"$scratch/stream.err" || fail "$what: stream: $(cat "$scratch/stream.err")"
	wait "$pid"
	says "$scratch/talk.out" '^talked' || fail "$what: no other traffic: $(cat "$scratch/talk.err")"
	interrupt "${started[-2]}" || fail "$what: the receiver"
	eval "$(cat "$scratch/receiver.out")"
	local received=$events arrived=$frames
	eval "$(summary "$scratch/stream.err")"
	echo "$what: $how: $received events in $arrived frames"
	expect "$what: sent and received" "$sent $frames" "$received $arrived"
	expect "$what: missing, disordered, dropped, untaken" "0 0 0 0" "$missing $disordered $dropped $untaken"
	[ "$sent" -gt 1000 ] || fail "$what: only $sent events"
	wait_for no_program_there
}

all_comes 1500 1 1500
all_comes 1500 0 1500
all_comes 9000 0 8192
all_comes 9000 1 8192
all_comes 32000 0 32000

start_receiver killed
expect "program of a receiver" prog/xdp "$(program_there)"
kill_at_once "$pid"
wait_for no_program_there

# A second receiver on the interface fails, and the XDP program of the first one stays.
start_receiver first
first=$pid
there "$receiver" xdp v1 >"$scratch/second.out" 2>"$scratch/second.err" && fail "a second receiver"
says "$scratch/second.err" '^cannot receive on v1 through AF_XDP: the interface already has an XDP program \(tw_receive, id [0-9]+' ||
	fail "a second receiver says: $(cat "$scratch/second.err")"
expect "program of the first" prog/xdp "$(program_there)"
interrupt "$first" || fail "the first receiver"
wait_for no_program_there

# The driver of a bridge has no XDP, so the kernel uses generic XDP.
if there ip link add b0 type bridge 2>"$scratch/bridge.err"; then
	there ip link set v1 master b0
	there ip link set b0 address "$address" up
	there ip address del 10.0.0.2/24 dev v1
	there ip address add 10.0.0.2/24 dev b0
	at=b0
	all_comes 9000 0 8192
	all_comes 1500 1 1500
else
	echo "not tried without XDP in the driver: $(cat "$scratch/bridge.err")"
fi
exit $failed
