# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced: the interfaces of the test's network namespace.

interfaces() { # their names, a line each
	ip -br link | sed 's/[@ ].*//'
}

# received INTERFACE: frames that arrived there so far, before XDP
received() {
	ip -s -j link show "$1" | sed -E 's/.*"rx":\{"bytes":[0-9]+,"packets":([0-9]+).*/\1/'
}
