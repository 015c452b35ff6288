#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The words that completion offers in bash. The test needs no prompt: it calls the completion function as bash does.
# Usage: completion.bash TRACEWIRE MANUAL_DIR
set -u
PATH=$(dirname "$1"):$PATH
# shellcheck disable=SC1091
source "$2/tracewire.bash"
failed=0

# offered LINE: prints the words offered at the end of LINE, in one line
offered() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	_tracewire
	echo "${COMPREPLY[*]}"
}

# expect LINE PATTERN: the offered words match the shell pattern
expect() {
	local offer
	offer=$(offered "$1")
	# shellcheck disable=SC2053
	if [[ $offer != $2 ]]; then
		echo "FAIL: '$1' offers '$offer', not '$2'"
		failed=1
	fi
}

expect 'tracewire li' '*list*'
expect 'tracewire ' '*list*help*'
expect 'tracewire list --sy' '--systems'
expect 'tracewire list --' '*--event*--help*'
expect 'tracewire --ver' '--version'
expect 'tracewire capture -b filesi' 'filesize:'
expect 'tracewire capture -a ev' 'events:'
expect 'tracewire capture -i l' '*lo*'
expect 'tracewire filter attach --action re' 'redirect:'
expect 'tracewire filter attach --hook u' 'u32'
expect 'tracewire filter compile --to disp' 'display'
expect 'tracewire capture --align h' 'host'
expect 'tracewire latency runq' 'runqlat'
if [ -r /sys/kernel/tracing/available_events ]; then
	expect 'tracewire list -e sche' '*sched*'
	expect 'tracewire live -e sched_process_exi' 'sched_process_exit'
	expect 'tracewire live -e irq,sched_process_exi' 'irq,sched_process_exit'
	expect 'tracewire live -e irq,sched:sched_process_exi' 'sched_process_exit'
	expect 'tracewire live -e sched:' '*sched_process_exit*'
	expect 'tracewire list sched:sched_process_exi' 'sched_process_exit'
	expect 'tracewire live -f prev_com' 'prev_comm'
	expect 'tracewire report -f tim' 'time*'
else
	echo "not checked: event names, as tracefs cannot be read"
fi
exit $failed
