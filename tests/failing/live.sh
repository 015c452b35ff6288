#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# failing.py on commands that trace, and send and receive frames. Usage: live.sh TRACEWIRE ARG...: the arguments of failing.py
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/../cli/common.sh"

need_tracefs
mount -t tmpfs tmpfs /run
for pair in tw0 tw1; do
	run 0 "$tracewire" vnet up $pair
done
ip link set lo up
"$(dirname "$0")/failing.py" "$@" || failed=1
exit $failed
