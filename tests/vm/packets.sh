#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/integration/packets.sh and qdisc-leaf.sh on a stock kernel in a virtual machine, which permits programs at function entries.
# Usage: packets.sh RELEASE KERNELS all|short TRACEWIRE
. "$(dirname "$0")/common.sh"
mkdir "$job/integration"
cp "$here/../integration/"{packets,qdisc-leaf}.sh "$job/integration"
cp "$2" "$job/tracewire"
cat >"$job/both" <<'END'
ip link set lo up
status=0
/job/integration/packets.sh /job/tracewire "$1" || status=$?
/job/integration/qdisc-leaf.sh /job/tracewire "$1" || status=$?
exit $status
END
in_machine "sh /job/both $1" || fail "in Linux $release it ends with $?"
exit $failed
