#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of generated BPF programs in a virtual machine: a stock kernel verifies classifiers and programs that measure pairs, and runs them.
# Usage: programs.sh RELEASE KERNELS all|short FORMATS TEST_FILTER_BPF TEST_FILTER_BPF_LIMITS PROOF TEST_KERNEL_PAIRS
. "$(dirname "$0")/common.sh"
how=$1
shift
cp "$@" "$job"
formats=/job/$(basename "$1")

# One of 20 packets, and a few expressions: in an emulated machine, all of them would take ten minutes. The short form has fewer.
case $how in
all) share=20 limits="/job/$(basename "$3") $formats" expressions=96 ;;
short) share=50 limits=true expressions=12 ;;
esac
in_machine "
status=0
SHARE=$share /job/$(basename "$2") || status=1
$limits || status=1
/job/$(basename "$4") $formats $expressions || status=1
/job/$(basename "$5") || status=1
exit \$status"
