# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# To be sourced: the peer's text, to hold ours against.

# trace_cmd_report WORD...: what trace-cmd report prints, but for what no recording tells us: that a CPU is empty, and behind the
# CPU the latency flags, "dNh2." or with -R "-0x5", which are there since version 3.2 and which we print with -l alone.
trace_cmd_report() {
	trace-cmd report "$@" 2>/dev/null | sed -E 's/^([^]]*-[^] ]+ +\[[0-9]+\])(-0x[0-9a-f]+| [^ 0-9][^ ]{4})/\1/; /^CPU [0-9]+ is empty$/d'
}
