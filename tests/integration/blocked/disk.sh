#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record writes to a full disk, and to a disk that hangs.
# Usage: disk.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"
need python3 mkfs.ext4 fsfreeze

# A full disk: the summary and the file agree.
mkdir "$scratch/small"
mount -t tmpfs -o size=512k tmpfs "$scratch/small" || exit 1
for file in x.pcapng x.pcapng.zst; do
	prepare_load 100000 1.5
	start_tracewire run record -v -e raw_syscalls --event-filter "$loaded" -w "$scratch/small/$file"
	run=$pid
	run_load
	ends_with 1 "record on a full disk"
	lost=$(sed -nE 's/^ledger .* ([0-9]+) disk.*/\1/p' "$scratch/run.err")
	[ "${lost:-0}" -gt 0 ] || fail "$file: nothing at disk: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^ledger .*; closed$' || fail "$file: the ledger is not closed: $(cat "$scratch/run.err")"
	says "$scratch/run.err" '^dropped|unexplained' && fail "$file: two truths: $(cat "$scratch/run.err")"
	"$tracewire" info -j "$scratch/small/$file" >"$scratch/info" 2>&1 || fail "$file: info: $(cat "$scratch/info")"
	python3 - "$scratch/info" "$lost" <<'END' || fail "$file: the file's ledger is another one: $(cat "$scratch/info")"
import json, re, sys
text = open(sys.argv[1]).read()
json.loads(text)
assert re.search(r'"disk": %s\b' % sys.argv[2], text) and '"closed"' in text and '"difference": 0' in text
END
	capinfos "$scratch/small/$file" >"$scratch/out" 2>&1 || fail "$file: capinfos: $(cat "$scratch/out")"
	eval "$(summary "$scratch/run.err")"
	expect "$file: events in the file" "$in_file" "$(events "$scratch/small/$file" trace.event_id | wc -l)"
	rm "$scratch/small/$file"
done
umount "$scratch/small"

# A disk that hangs: the run cannot end its write, but it still prints a ledger and says that the disk does not respond.
truncate -s 64M "$scratch/image"
mkdir "$scratch/hung"
if mkfs.ext4 -q "$scratch/image" 2>"$scratch/out" && mount -o loop "$scratch/image" "$scratch/hung" 2>>"$scratch/out"; then
	at_end 'fsfreeze -u "$scratch/hung" 2>/dev/null; umount -l "$scratch/hung"'
	prepare_load 50000 1
	start_tracewire run record -v -e raw_syscalls --event-filter "$loaded" -w "$scratch/hung/x.pcapng"
	run=$pid
	wait_for test -s "$scratch/hung/x.pcapng"
	fsfreeze -f "$scratch/hung"
	run_load
	kill -INT "$run"
	wait_for says "$scratch/run.err" '^ledger .*the difference is unknown: at least [1-9][0-9]* frames'
	wait_for says "$scratch/run.err" 'the disk does not respond'
	fsfreeze -u "$scratch/hung"
	ends_with 1 "record on a disk that hangs"
else
	echo "not checked: a disk that hangs: $(cat "$scratch/out")"
fi
exit $failed
