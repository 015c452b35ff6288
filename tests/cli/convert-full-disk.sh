#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `convert` on a full disk prints one sentence, ends with status 1, and leaves no file that looks complete. An existing file stays
# unchanged.
# Usage: convert-full-disk.sh TRACEWIRE DIRECTORY_OF_RECORDINGS
tracewire=$1
large=$2/debian-6.1.dat
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

mkdir "$scratch/disk"
mount -t tmpfs -o size=2m tmpfs "$scratch/disk" || exit 1
at_end 'umount -l "$scratch/disk"'
cd "$scratch/disk" || exit 1

convert() { # FILE LEFT...: convert fails, and only the files LEFT are on the disk
	local file=$1

	shift
	err=$("$tracewire" convert "$large" "$file" 2>&1)
	[ $? = 1 ] || fail "$file: exits with another status: $err"
	tail -n 1 <<<"$err" | grep -qE "no space for $file after [0-9]+ bytes: the incomplete file was removed; free some space" || fail "$file: says $err"
	[ "$(ls -A)" = "$*" ] || fail "$file: there is $(ls -A)"
}

convert new.pcapng
echo old >old.pcapng
convert old.pcapng old.pcapng
[ "$(cat old.pcapng)" = old ] || fail "the file that was there is changed"
exit $failed
