# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced: functions for the interfaces of the test's network namespace.

# is_up INTERFACE [COMMAND...]: whether the kernel has noticed the carrier of INTERFACE, sometimes a second after it came up. Frames sent
# before that are dropped silently. COMMAND runs the check, for example in another namespace.
is_up() {
	[ "$("${@:2}" ip -br link show "$1" | awk '{ print $2 }')" = UP ]
}

interfaces() { # prints their names, one a line
	ip -br link | sed 's/[@ ].*//'
}

# received INTERFACE: prints the number of frames that INTERFACE has received so far, including those that XDP drops
received() {
	ip -s -j link show "$1" | sed -E 's/.*"rx":\{"bytes":[0-9]+,"packets":([0-9]+).*/\1/'
}

# start_far: starts a process in a second network namespace, $far. Requires processes.sh
start_far() {
	unshare --net sleep 600 &
	far=$!
	started+=("$far")
	wait_for is_apart
}

is_apart() { # whether $far is in its own namespace
	[ "$(readlink "/proc/$far/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

# start_near_and_far: makes a veth pair between this network namespace and that of a new process, $far. The interfaces have the addresses
# near 10.3.0.1 and fd00:3::1, far 10.3.0.2 and fd00:3::2. Requires processes.sh
start_near_and_far() {
	start_far
	ip link add near type veth peer name far netns "$far"
	give_addresses near
}

# start_lan_and_far: the same, but near is a port of the bridge lan, which has its addresses
start_lan_and_far() {
	start_far
	ip link add near type veth peer name far netns "$far"
	ip link add lan type bridge
	ip link set near master lan up
	give_addresses lan
	wait_for is_up near
}

give_addresses() { # INTERFACE of this side
	ip addr add 10.3.0.1/24 dev "$1"
	ip addr add fd00:3::1/64 dev "$1" nodad
	ip link set "$1" up
	ip link set lo up
	in_far sh -c 'ip addr add 10.3.0.2/24 dev far; ip addr add fd00:3::2/64 dev far nodad; ip link set far up; ip link set lo up'
	wait_for is_up "$1"
	wait_for is_up far in_far
}

in_far() { # COMMAND...: runs it in the network namespace of $far
	nsenter --net="/proc/$far/ns/net" "$@"
}

# netns_cookie [COMMAND...]: prints the number of the network namespace, as in the events of sockets. COMMAND runs the program that finds
# it, for example in_far.
netns_cookie() {
	"$@" python3 -c 'import socket, sys; print(int.from_bytes(socket.socket().getsockopt(socket.SOL_SOCKET, 71, 8), sys.byteorder))'
}
