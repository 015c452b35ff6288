#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The AF_XDP receiver on a stock kernel, of which the older has no multi-buffer: the test of tests/vnet, in a virtual machine.
# Usage: receive.sh RELEASE KERNELS TEST_VNET_RX_XDP
. "$(dirname "$0")/common.sh"
cp "$1" "$job/test"

in_machine 'modprobe -a veth af_packet 2>/dev/null
/job/test' || fail "it fails in Linux $release"
exit $failed
