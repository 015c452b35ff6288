#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The stages of received bytes of TCP and datagrams of UDP on a stock kernel in a virtual machine, by the hooks that it has.
# Usage: received.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
cp "$here"/received-guest.sh "$here"/received-load.py "$here"/received.py "$job"
cp "$1" "$job/tracewire"
in_machine "bash /job/received-guest.sh" || fail "in Linux $release it ends with $?"
exit $failed
