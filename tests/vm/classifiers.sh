#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Classifiers on a stock kernel in a virtual machine; on 6.12, also on netdevsim, a simulated network card that supports BPF offload.
# Usage: classifiers.sh RELEASE KERNELS TRACEWIRE SENDER CAPTURE FOREIGN ATTACH_FOREIGN
. "$(dirname "$0")/common.sh"
need tc ip ethtool bpftool python3
if [ "$release" = 6.12 ]; then
	"$here/offload-modules" "$kernels" || skip "netdevsim cannot be built from Debian's source of $release"
	cp "$kernels/$release/extra/netdevsim.ko" "$job"
fi

names=()
for file in "$here/classifiers-guest.sh" "$@"; do
	cp "$file" "$job"
	names+=("/job/${file##*/}")
done
in_machine "${names[*]}"
