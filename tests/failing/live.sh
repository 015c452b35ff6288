#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# failing.py on commands that trace, send and receive frames, and attach filters
# Usage: live.sh TRACEWIRE ARG...: the arguments of failing.py
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/../cli/common.sh"

need_tracefs
mount -t tmpfs tmpfs /run
export AT_ONCE=8
for i in $(seq 0 $((AT_ONCE - 1))); do
	run 0 "$tracewire" vnet up tw$i
done
ip link set lo up
in_background packed "$tracewire" capture -u 127.0.0.1:19999 --packed -a events:20 -w "$scratch/packed.pcapng"
receives() { ss -Hlun | grep -q :19999; }
wait_for receives
run 0 "$tracewire" stream -q -e sched:sched_switch -u 127.0.0.1:19999 -- sleep 1
wait
export SCRATCH=$scratch
"$(dirname "$0")/failing.py" "$@" || failed=1
exit $failed
