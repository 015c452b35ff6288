#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk is full. A capture into one file stops with one sentence and status 1; the file can be read, and the ledger has the events that
# could not be written. A capture into a ring of files removes its oldest files and continues.
# Usage: disk.sh TRACEWIRE LOAD
tracewire=$1
load=$2
. "$(dirname "$0")/common.sh"

hosts host p1
disk=$scratch/disk
mkdir "$disk"
mount -t tmpfs -o size=4m tmpfs "$disk" || exit 1
at_end 'umount -l "$disk"'

# send_all: sends about 11 MB, with one event per packet
send_all() {
	prepare_load 25000 1.5
	start_stream p1 -u $capture_host -e raw_syscalls --event-filter "$loaded" --buffer-size 8192
	stream=$pid
	begin_load
	wait "$load_process"
	interrupt $stream
	expect "status of the stream" 0 $?
	eval "$(summary "$scratch/p1.err")"
}

# Events that do not fit on the disk count at `disk`. The capture opens its file as root, and repairs its end as user nobody. Other data
# uses most of the disk; more of it if the file is compressed.
for of in pcapng:2000000 pcapng.zst:3900000; do
	ending=${of%:*}
	head -c "${of#*:}" /dev/urandom >"$disk/others"
	start_capture full -u 18101 -Z nobody -w "$disk/full.$ending"
	capture=$pid
	send_all
	wait "$capture"
	expect "$ending: status on a full disk" 1 $?
	expect "$ending: sentences" 1 "$(grep -c '^{"error":".*no space left after [0-9]* bytes' "$scratch/full.err")"
	balanced full p1: disk
	[ "$(in_ledger full p1: disk)" -gt 0 ] || fail "$ending: nothing in the ledger that could not be written: $(ledgers full p1:)"
	expect "$ending: events in the file" "$(in_ledger full p1: delivered)" "$(in_files "$disk/full.$ending")"
	rm "$disk"/*
done

# A capture into a ring of files continues on a full disk, and ends with status 1. The newest files exist, and events in removed files count
# as delivered.
head -c 2000000 /dev/urandom >"$disk/others"
start_capture ring -u 18101 -w "$disk/ring.pcapng" -b filesize:500 -b files:50
capture=$pid
send_all
interrupt "$capture"
expect "ring: status where files had to go" 1 $?
says "$scratch/ring.err" 'no space for the number of files of --ring-buffer' || fail "ring: $(tail -n 1 "$scratch/ring.err")"
balanced ring p1:
expect "ring: ledger" closed "$(in_ledger ring p1: state)"
expect "ring: events recorded" "$recorded" "$(in_ledger ring p1: recorded)"
here=$(in_files "$disk"/ring*)
echo "of $recorded events $here are in $(ls "$disk"/ring* | wc -l) files"
[ "$here" -gt 0 ] && [ "$here" -lt "$recorded" ] || fail "the ring lost no file"
last=$(ls "$disk"/ring* | tail -n 1)
expect "ring: ledger in the last file" closed "$(strings -n 16 "$last" | grep -o 'ledger version=1 state=[a-z]*' | tail -n 1 | cut -d= -f3)"
exit $failed
