#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares `latency` with the tools that Debian has for the same questions, over the same load on a stock kernel in a virtual machine. Also
# runs `latency qdisc` with queueing disciplines that the kernel of this machine may lack.
# Usage: latency.sh RELEASE KERNELS TRACEWIRE
. "$(dirname "$0")/common.sh"
need bpftrace trace-cmd tc python3
cp "$here/latency-guest.sh" "$here/latency-load.py" "$here/latency-compare.py" "$1" "$job"
# A disk whose requests and interrupts are those of the load alone
truncate -s 64M "$scratch/disk"
export VM_DEVICES="-drive file=$scratch/disk,if=none,id=disk,format=raw -device virtio-blk-pci,drive=disk"
in_machine "/job/latency-guest.sh /job/tracewire"
