#!/usr/bin/env fish
# SPDX-License-Identifier: GPL-2.0-or-later
# The words that fish offers for an incomplete command line.
# Usage: completion.fish TRACEWIRE MANUAL_DIR
set -gx PATH (dirname $argv[1]) $PATH
source $argv[2]/tracewire.fish
set -g failed 0

# expect LINE OFFER: OFFER is one of the words offered
function expect
	complete -C $argv[1] | string split -f1 \t | string match -q -- $argv[2]; and return
	echo "FAIL: '$argv[1]' offers '"(complete -C $argv[1] | string split -f1 \t | string join ' ')"', not '$argv[2]'"
	set failed 1
end

expect 'tracewire li' list
expect 'tracewire record --buffer-si' --buffer-size
expect 'tracewire capture -b filesi' filesize:
expect 'tracewire capture -a ev' events:
expect 'tracewire capture -i l' lo
expect 'tracewire filter attach --action re' redirect:
expect 'tracewire filter attach --hook u' u32
expect 'tracewire filter compile --to disp' display
expect 'tracewire latency runq' runqlat
expect "tracewire latency runqlat $argv[2]/tracewire.f" $argv[2]/tracewire.fish
if test -r /sys/kernel/tracing/available_events
	expect 'tracewire live -e sched_process_exi' sched_process_exit
	expect 'tracewire live -e irq,sched_process_exi' irq,sched_process_exit
	expect 'tracewire live -e sched:' sched:sched_process_exit
	expect 'tracewire live -f prev_com' prev_comm
else
	echo "not checked: event names, as tracefs cannot be read"
end
exit $failed
