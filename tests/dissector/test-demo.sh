#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make demo` shows this recording if it cannot trace. The plugin decodes it completely, with an empty cache.
. "$(dirname "$0")/common.sh"

# As in scripts/demo, tshark reads the recording from a pipe, because it does not run as root and may not be able to read this directory.
sample() {
	shark -r - "$@" < "$(dirname "$0")/../data/sample.pcapng" 2>&1
}

expect "every event is decoded" "330" "$(sample -Y trace.event | wc -l)"
expect "its events by their names" "114 sched_process_exit=1 sched_switch=215" \
	"$(sample -Y trace.event -T fields -e trace.event | sort | uniq -c | awk '
		$2 == "sched_switch" || $2 == "sched_process_exit" { named = named " " $2 "=" $1; next }
		$2 ~ /^sched_/ { others += $1 }
		END { print others named }')"
expect "the command that it was recorded around" "128|sleep|/usr/bin/sleep" \
	"$(sample -Y 'trace.event == "sched_process_exec"' -T fields -E separator='|' -e trace.pid -e trace.comm \
		-e trace.sched.sched_process_exec.filename)"
expect "nothing is lost or malformed" "" "$(sample -Y '_ws.malformed or trace.lost.where or _ws.expert.severity >= 0x600000')"
finish
