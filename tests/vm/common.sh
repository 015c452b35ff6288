# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, to run a stock kernel in a virtual machine. It uses and removes the first two arguments, RELEASE and KERNELS.
namespaces=--mount # no network namespace, because the kernel is downloaded
for part in namespace check; do
	# shellcheck source=/dev/null
	. "$(dirname "$0")/../shell/$part.sh"
done
here=$(cd -- "$(dirname -- "$0")" && pwd)
release=$1
kernels=$2
shift 2

need qemu-system-x86_64 busybox modprobe depmod xz cpio dpkg
"$here/stock-kernel" "$release" "$kernels" || skip "no kernel $release could be had from Debian"

# Programs for the guest are copied to /job, because this source tree may be at a path that the guest covers, such as /tmp.
job=$scratch/job
mkdir "$job"
cp -r "$here/../shell" "$job"

# in_machine COMMAND: runs COMMAND in the guest; returns its status, or 125 if it does not end
in_machine() {
	local status
	"$here/boot" "$kernels/$release" "$job" "$1"
	status=$?
	[ $status = 125 ] && fail "in Linux $release it does not come to its end"
	return $status
}
