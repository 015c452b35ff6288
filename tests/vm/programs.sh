#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Generated classifiers in the verifier of a stock kernel, and run there: the tests of tests/filter, in a virtual machine.
# Usage: programs.sh RELEASE KERNELS FORMATS TEST_FILTER_BPF TEST_FILTER_BPF_LIMITS PROOF
. "$(dirname "$0")/common.sh"
cp "$@" "$job"
formats=/job/$(basename "$1")

# One packet of 20 and a few expressions: emulated, all of them would take ten minutes.
in_machine "
status=0
SHARE=20 /job/$(basename "$2") || status=1
/job/$(basename "$3") $formats || status=1
/job/$(basename "$4") $formats 96 || status=1
exit \$status"
