#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs for which the machine, its disk or the user lacks something. The command prints one sentence with the reason and the remedy, and
# leaves no instance, interface or file. tests/cli has the tests of mistyped options.
# Usage: errors.sh TRACEWIRE WITHOUT_XDP
tracewire=$1
without_xdp=$2
. "$(dirname "$0")/common.sh"

# The program is copied, because user nobody may be unable to read the directory of the build.
cp "$tracewire" "$scratch/tracewire"
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/tracewire")

# one_sentence PATTERN: standard error has only one line, and this line matches PATTERN
one_sentence() {
	expect "lines of: $(cat "$scratch/err")" 1 "$(wc -l <"$scratch/err")"
	says "$scratch/err" "$1" || fail "expected '$1': $(cat "$scratch/err")"
}

none_left() { # INTERFACE...: no file and no instance of a run is left, and no interface except these
	nothing_left "" "$@"
	find "$scratch" -name '*.pcapng' | grep . && fail "a file is left"
	find "$tracing/instances" -maxdepth 1 -name 'tracewire-*' -newer "$scratch/home" | while read -r instance; do
		"$tracewire" cleanup --dry-run 2>/dev/null | grep "${instance##*/}"
	done | grep . && fail "an instance is left"
}

# The user has no permission.
mkdir -m 777 "$scratch/open"
for command in 'live -e sched' "record -e sched -w $scratch/open/x.pcapng" 'stream -e sched -i tw0' cleanup; do
	# shellcheck disable=SC2086
	run 1 "${nobody[@]}" $command
	one_sentence 'only root.*sudo'
done
run 1 "${nobody[@]}" vnet up tw0
one_sentence 'root|CAP_NET_ADMIN'
none_left

# The disk is full: the part of the file that was written is readable.
mkdir "$scratch/small"
mount -t tmpfs -o size=256k tmpfs "$scratch/small"
run 1 "$tracewire" record -q -e sched,irq,raw_syscalls -w "$scratch/small/x.pcapng" -- sh -c 'while :; do sleep 0.01; done'
one_sentence 'x\.pcapng.*[Nn]o space left'
tshark -r "$scratch/small/x.pcapng" -Y trace.event >"$scratch/out" 2>"$scratch/err" || fail "tshark: $(cat "$scratch/err")"
[ "$(wc -l <"$scratch/out")" -gt 100 ] || fail "nothing of the full disk can be read"
umount "$scratch/small"
none_left

# The kernel has no AF_XDP: the command says so, and everything else works.
"$tracewire" vnet up tw0 2>/dev/null
for command in 'stream -e sched -i tw0' 'live -e sched'; do
	# shellcheck disable=SC2086
	run 0 "$without_xdp" "$tracewire" $command -- sleep 0.2
	says "$scratch/err" 'AF_PACKET.*AF_XDP refused: ' || fail "the fall-back is not told: $(cat "$scratch/err")"
	recorded='' sent=
	eval "$(summary "$scratch/err")"
	expect "'$command' without AF_XDP: events recorded, sent" "$recorded" "$sent"
done
[ "$(grep -c sched_switch "$scratch/out")" -gt 10 ] || fail "live shows nothing without AF_XDP"
"$tracewire" vnet down tw0 2>/dev/null
none_left

# tshark or the plugin is missing.
mkdir "$scratch/bin"
ln -s "$(command -v sleep)" "$scratch/bin"
run 1 env PATH="$scratch/bin" "$tracewire" live -e sched -- sleep 1
one_sentence 'tshark.*not installed.*apt install tshark'
umount "$PLUGINDIR/epan"
mkdir "$scratch/no-plugin"
mount --bind "$scratch/no-plugin" "$PLUGINDIR/epan"
run 0 "$tracewire" live -v -e sched -- sleep 0.2
says "$scratch/err" 'plugin is not installed.*tracewire doctor' || fail "a missing plugin is not told: $(cat "$scratch/err")"
grep -q sched_switch "$scratch/out" && fail "events are decoded without the plugin"
[ "$(wc -l <"$scratch/out")" -gt 10 ] || fail "live shows nothing without the plugin"
run 1 "$tracewire" doctor
grep -qi 'plugin' "$scratch/out" || fail "doctor has no word about the plugin"
umount "$PLUGINDIR/epan"
mount --bind "$scratch/epan" "$PLUGINDIR/epan"
none_left

# If tracefs is mounted elsewhere, or not mounted, root can still trace. If tracefs is not available, as in many containers, the command
# prints one sentence.
unmount_all() {
	awk '$3 == "tracefs" || $3 == "debugfs" { print $2 }' /proc/mounts | tac | while read -r at; do umount -l "$at"; done
}

unmount_all
mkdir "$scratch/elsewhere"
mount -t tracefs tracefs "$scratch/elsewhere"
run 0 "$tracewire" record -q -e sched -w "$scratch/x.pcapng" -- sleep 0.1
[ "$(events "$scratch/x.pcapng" trace.event_id | wc -l)" -gt 10 ] || fail "nothing is recorded with tracefs elsewhere"
rm "$scratch/x.pcapng"
unmount_all
run 1 "${nobody[@]}" list
one_sentence 'not mounted.*mount -t tracefs'
run 0 "$tracewire" record -q -e sched -w "$scratch/x.pcapng" -- sleep 0.1
rm "$scratch/x.pcapng"
unmount_all
run 1 setpriv --bounding-set=-sys_admin "$tracewire" record -e sched -w "$scratch/open/x.pcapng" -- true
one_sentence 'tracefs is not mounted.*cannot be mounted there.*has no tracing'
mount -t tracefs tracefs "$tracing"
none_left
exit $failed
