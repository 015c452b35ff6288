#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test_failures.sh SAMPLE: a full disk, a reader that closes the pipe, a writer that is killed. The written part stays readable.
set -eu
sample=$1
if [ "$(id -u)" != 0 ]; then
	echo "skipped: a file system of its own, to be filled up, needs root"
	exit 77
fi
if [ -z "${IN_NAMESPACE:-}" ]; then
	export IN_NAMESPACE=1
	exec unshare --mount --propagation private "$0" "$@"
fi
dir=$(mktemp -d)
trap 'umount "$dir" 2>/dev/null || true; rm -rf "$dir" "$dir.said"' EXIT
mount -t tmpfs tmpfs /run # a killed writer leaves a note there
mount -t tmpfs -o size=1m tmpfs "$dir"
cd /

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# A full disk: the writer prints a sentence, ends with status 1, and leaves a valid file of whole blocks.
status=0
"$sample" "$dir/full.pcapng" 100000 2>"$dir.said" || status=$?
said=$(cat "$dir.said")
[ $status = 1 ] || fail "full disk: status $status, $said"
case $said in
*"full.pcapng: no space left after "*) ;;
*) fail "full disk: it said: $said" ;;
esac
tshark -r "$dir/full.pcapng" >/dev/null 2>&1 || fail "full disk: tshark does not read what was written"
packets=$(tshark -r "$dir/full.pcapng" 2>/dev/null | wc -l)
[ "$packets" -gt 4000 ] || fail "full disk: only $packets packets are left of a mebibyte"
case $said in
"packets=$packets events=$((packets - 2)) bytes=$(stat -c %s "$dir/full.pcapng") "*) ;;
*) fail "full disk: $packets packets can be read, but it said: $said" ;;
esac
echo "full disk: $packets packets readable; it said: $said"
rm "$dir/full.pcapng"

# The reader closes the pipe: the writer gets an error and no signal.
status=0
{ "$sample" - 1000000 2>"$dir/said" || echo $? >"$dir/status"; } | head -c 1000 >/dev/null
[ "$(cat "$dir/status")" = 1 ] || fail "closed pipe: $(cat "$dir/status") $(cat "$dir/said")"
grep -q "standard output: its reader closed it" "$dir/said" || fail "closed pipe: $(cat "$dir/said")"
umount "$dir"

# The writer is killed at different moments: tshark reads the file, at worst with a warning about the truncation.
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$sample" "$dir/killed.pcapng" 100000000 2>/dev/null &
	pid=$!
	sleep 0.0$((try * 7 % 3))$((try * 3 % 10))
	kill -KILL $pid
	wait $pid 2>/dev/null || true
	[ -s "$dir/killed.pcapng" ] || continue
	tshark -r "$dir/killed.pcapng" >"$dir/out" 2>"$dir/errors" ||
		grep -q "cut short" "$dir/errors" || fail "killed: $(cat "$dir/errors")"
	size=$(stat -c %s "$dir/killed.pcapng")
	packets=$(wc -l <"$dir/out")
	# a packet has 160 bytes; the last packet, and its line in tshark, may be truncated; batches are padded to disk blocks
	[ $((packets * 160 + 2000 + size / 30)) -gt "$size" ] || fail "killed: $packets packets of $size bytes"
done
