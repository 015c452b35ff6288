#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The messages of a run are not read: its standard error is a full pipe, or a stopped terminal. The run continues, and can be ended like any
# other run.
# Usage: unread.sh TRACEWIRE CAPTURE
tracewire=$1
sample=$2
. "$(dirname "$0")/../common.sh"
need python3

ip link set lo up
python3 "$(dirname "$0")/unread.py" "$tracewire" "$scratch" "$tracing" "$sample" || failed=1
exit $failed
