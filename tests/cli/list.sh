#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `list` compared with tracefs.
# Usage: list.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"

need_tracefs

same() { # WHAT FILE FILE
	cmp -s "$2" "$3" || fail "$1: $(diff "$2" "$3" | head -5)"
}

grep -v '^sockts:' "$scratch/all" | sort >"$scratch/ours"
sort "$tracing/available_events" >"$scratch/kernel"
same "all events" "$scratch/ours" "$scratch/kernel"

"$tracewire" list -e sched | sort >"$scratch/ours"
grep -E '^sched:|:sched$' "$tracing/available_events" | sort >"$scratch/kernel"
same "one system" "$scratch/ours" "$scratch/kernel"

"$tracewire" list '*:*switch*' irq | sort >"$scratch/ours"
grep -E ':.*switch|^irq:|:irq$' "$tracing/available_events" | sort >"$scratch/kernel"
same "wildcards and a system" "$scratch/ours" "$scratch/kernel"

"$tracewire" list sockts:drop tcp_reset >"$scratch/ours"
printf 'sockts:%s\n' drop tcp_reset >"$scratch/expected"
same "socket events" "$scratch/ours" "$scratch/expected"
"$tracewire" list '*:*drop*' >"$scratch/ours"
! grep '^sockts:' "$scratch/ours" || fail "a wildcard selects socket events"

"$tracewire" list --systems | grep -v '^sockts$' >"$scratch/ours"
cut -d: -f1 "$tracing/available_events" | sort -u >"$scratch/kernel"
same "systems" "$scratch/ours" "$scratch/kernel"

"$tracewire" list --clocks | tr '\n' ' ' >"$scratch/ours"
tr -d '[]\n' <"$tracing/trace_clock" | sed 's/$/ /' >"$scratch/kernel"
same "clocks" "$scratch/ours" "$scratch/kernel"

"$tracewire" list -v sched:sched_switch irq | awk '/^\t/ {print $1}' >"$scratch/ours"
for format in "$tracing"/events/sched/sched_switch/format "$tracing"/events/irq/*/format; do
	sed -n '/^$/,$s/^\tfield:[^;]*[ *]\([a-z_A-Z0-9]*\)\(\[[^;]*\)\{0,1\};.*/\1/p' "$format"
done >"$scratch/kernel"
same "fields" "$scratch/ours" "$scratch/kernel"
[ "$("$tracewire" list -v | grep -vc '^	')" = "$(wc -l <"$scratch/all")" ] || fail "not every event's fields can be listed"

instance=$tracing/instances/twtest-list-$$
mkdir "$instance"
"$tracewire" list --instances | grep -qx "twtest-list-$$" || fail "our instance is not listed"
rmdir "$instance"

"$tracewire" list sched:sched_swich 2>"$scratch/why"
[ $? = 2 ] || fail "an unknown event is no usage error"
grep -q "did you mean sched:sched_switch?" "$scratch/why" || fail "no suggestion: $(cat "$scratch/why")"

# `list` as another user, and with tracefs mounted elsewhere or not mounted.
as_nobody list 2>"$scratch/why"
[ $? = 1 ] || fail "listing without permission does not fail"
grep -q "use sudo" "$scratch/why" || fail "without permission: $(cat "$scratch/why")"
# After debugfs was mounted, it contains tracefs too.
hide="for mount in $(grep -E '^[^ ]+ [^ ]+ (tracefs|debugfs) ' /proc/mounts | cut -d' ' -f2 | sort -r | tr '\n' ' '); do
	umount -l \$mount
done"
elsewhere=$(unshare --mount sh -c "$hide; mkdir '$scratch/t'; mount -t tracefs t '$scratch/t'; '$tracewire' list" | wc -l)
[ "$elsewhere" = "$(wc -l <"$scratch/all")" ] || fail "tracefs mounted elsewhere: $elsewhere events"
unmounted=$(unshare --mount sh -c "$hide; setpriv --reuid 65534 '$scratch/tracewire' list" 2>&1)
case $unmounted in
*"tracefs is not mounted"*) ;;
*) fail "tracefs not mounted: $unmounted" ;;
esac
exit $failed
