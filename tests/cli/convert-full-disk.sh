#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `convert` on a disk without room: one sentence, status 1, and no file that looks whole; one of that name stays as it was.
# Usage: convert-full-disk.sh TRACEWIRE FOLDER_OF_RECORDINGS
set -u
tracewire=$1
large=$2/debian-6.1.dat

if [ -z "${IN_NAMESPACE:-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
	IN_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi

failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

scratch=$(mktemp -d) || exit 1
trap 'cd / && umount "$scratch" && rmdir "$scratch"' EXIT
mount -t tmpfs -o size=2m tmpfs "$scratch" || exit 1
cd "$scratch" || exit 1

convert() { # FILE LEFT...: fails, and the disk has these files
	local file=$1

	shift
	err=$("$tracewire" convert "$large" "$file" 2>&1)
	[ $? = 1 ] || fail "$file: exits with another status: $err"
	tail -n 1 <<<"$err" | grep -qE "no room for $file after [0-9]+ bytes: nothing was left there" || fail "$file: says $err"
	[ "$(ls -A)" = "$*" ] || fail "$file: there is $(ls -A)"
}

convert new.pcapng
echo old >old.pcapng
convert old.pcapng old.pcapng
[ "$(cat old.pcapng)" = old ] || fail "the file that was there is changed"
exit $failed
