# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced: the interfaces of the test's network namespace.

# is_up INTERFACE [COMMAND...]: the kernel has noticed its carrier, sometimes a second after it came up; earlier frames are dropped
# silently. COMMAND runs the check elsewhere
is_up() {
	[ "$("${@:2}" ip -br link show "$1" | awk '{ print $2 }')" = UP ]
}

interfaces() { # their names, a line each
	ip -br link | sed 's/[@ ].*//'
}

# received INTERFACE: frames received there so far, before XDP
received() {
	ip -s -j link show "$1" | sed -E 's/.*"rx":\{"bytes":[0-9]+,"packets":([0-9]+).*/\1/'
}
