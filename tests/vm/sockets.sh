#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/integration/sockets.sh on a stock kernel in a virtual machine: the hooks of older kernels have fewer arguments.
# Usage: sockets.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
mkdir "$job/integration"
cp "$here/../integration/"{common,sockets}.sh "$job/integration"
cp "$1" "$job/tracewire"
cp "$PLUGIN" "$job/plugin.so"
in_machine "PLUGIN=/job/plugin.so PLUGINDIR=$PLUGINDIR /job/integration/sockets.sh /job/tracewire slow" || fail "in Linux $release it ends with $?"
exit $failed
