# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Sourced by the tests, with their arguments RELEASE and KERNELS, which it removes: a stock kernel in a virtual machine.
namespaces=--mount # the kernel comes from the network
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

# Programs to run there are copied to /job: this tree may be at a path that exists in the machine, such as /tmp.
job=$scratch/job
mkdir "$job"
cp -r "$here/../shell" "$job"

# in_machine COMMAND: its status, or 125 if it does not end
in_machine() {
	local status
	"$here/boot" "$kernels/$release" "$job" "$1"
	status=$?
	[ $status = 125 ] && fail "in Linux $release it does not come to its end"
	return $status
}
