#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Generated classifiers in the verifier of a stock kernel, and run there: the tests of tests/filter, in a virtual machine.
# Usage: programs.sh RELEASE KERNELS FORMATS TEST_FILTER_BPF TEST_FILTER_BPF_LIMITS PROOF
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd)
release=$1
kernels=$2
shift 2

skip() {
	echo "skipped: $*"
	exit 77
}

for program in qemu-system-x86_64 busybox modprobe depmod xz cpio dpkg; do
	command -v $program >/dev/null || skip "$program is not installed"
done
[ "$(id -u)" = 0 ] || skip "needs root"
"$here/stock-kernel" "$release" "$kernels" || skip "no kernel $release could be had from Debian"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$@" "$scratch"
formats=/job/$(basename "$1")

# One packet of 20 and a few expressions: emulated, all of them would take ten minutes.
VM_SECONDS=500 "$here/boot" "$kernels/$release" "$scratch" "
status=0
SHARE=20 /job/$(basename "$2") || status=1
/job/$(basename "$3") $formats || status=1
/job/$(basename "$4") $formats 96 || status=1
exit \$status"
