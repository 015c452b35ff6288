#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/integration/packets.sh on a stock kernel in a virtual machine, which permits programs at function entries.
# Usage: packets.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
mkdir "$job/integration"
cp "$here/../integration/packets.sh" "$job/integration"
cp "$1" "$job/tracewire"
in_machine "ip link set lo up; /job/integration/packets.sh /job/tracewire" || fail "in Linux $release it ends with $?"
exit $failed
