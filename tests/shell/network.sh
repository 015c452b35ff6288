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
