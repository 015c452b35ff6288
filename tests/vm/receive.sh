#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The test of the AF_XDP receiver (tests/vnet) on a stock kernel in a virtual machine. The older kernel has no multi-buffer.
# Usage: receive.sh RELEASE KERNELS TEST_VNET_RX_XDP
. "$(dirname "$0")/common.sh"
cp "$1" "$job/test"

in_machine 'modprobe -a veth af_packet 2>/dev/null
/job/test' || fail "it fails in Linux $release"
exit $failed
