#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Classifiers on a stock kernel in a virtual machine. Of 6.12 with a network card that is made for the test, netdevsim.
# Usage: classifiers.sh RELEASE KERNELS TRACEWIRE SENDER CAPTURE FOREIGN ATTACH_FOREIGN
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
release=$1
kernels=$2
shift 2

skip() {
	echo "skipped: $*"
	exit 77
}

for program in qemu-system-x86_64 busybox modprobe depmod xz cpio dpkg tc ip ethtool bpftool python3; do
	command -v $program >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" = 0 ] || skip "needs root"
"$here/stock-kernel" "$release" "$kernels" || skip "no kernel $release could be had from Debian"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/job"
if [ "$release" = 6.12 ]; then
	"$here/offload-modules" "$kernels" || skip "netdevsim cannot be built from Debian's source of $release"
	cp "$kernels/$release/extra/netdevsim.ko" "$scratch/job"
fi

# What runs in there goes along: this tree may lie where the machine in there has something else, as in /tmp.
names=()
for file in "$here/classifiers-guest.sh" "$@"; do
	cp "$file" "$scratch/job"
	names+=("/job/${file##*/}")
done
"$here/boot" "$kernels/$release" "$scratch/job" "${names[*]}"
status=$?
[ $status = 125 ] && echo "FAIL: in Linux $release it does not come to its end"
exit $status
