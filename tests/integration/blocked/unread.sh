#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nobody reads what a run says: its standard error is a full pipe, or a terminal that was stopped. The run goes on, and its end can be asked
# for as that of any other.
# Usage: unread.sh TRACEWIRE CAPTURE
tracewire=$1
sample=$2
. "$(dirname "$0")/../common.sh"
need python3

ip link set lo up
python3 "$(dirname "$0")/unread.py" "$tracewire" "$scratch" "$tracing" "$sample" || failed=1
exit $failed
