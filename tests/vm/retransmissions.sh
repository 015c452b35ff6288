#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Segments that netem loses on a stock kernel in a virtual machine: the kernel's own tcp_retransmit_skb tells which ones are sent again.
# Usage: retransmissions.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
need python3 tc bpftool
cp "$here/retransmissions-guest.sh" "$1" "$job"
in_machine "/job/retransmissions-guest.sh /job/tracewire" || { [ $? = 77 ] && exit 77; fail "in Linux $release it ends with $?"; }
exit $failed
