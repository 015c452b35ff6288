#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The stages of sent TCP data and UDP datagrams on a stock kernel in a virtual machine, by the hooks that it has.
# Usage: sent.sh RELEASE KERNELS TRACEWIRE STAMPS DROP.bpf.o
. "$(dirname "$0")/common.sh"
cp "$here"/sent-guest.sh "$here"/sent.py "$job"
cp "$1" "$job/tracewire"
cp "$2" "$job/stamps"
cp "$3" "$job/drop.bpf.o"
in_machine "bash /job/sent-guest.sh" || fail "in Linux $release it ends with $?"
exit $failed
