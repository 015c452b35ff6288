#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `vnet up|down|show`, in a separate network namespace.
# Usage: vnet.sh TRACEWIRE
tracewire=$1
. "$(dirname "$0")/../shell/namespace.sh"
. "$(dirname "$0")/common.sh"
need strace

"$tracewire" vnet up tw7 --mtu 5000 || fail "vnet up"
ip -d link show tw7 | grep -q 'mtu 5000' || fail "MTU is not as asked for"
ip link show tw7 | grep -q 'LOWER_UP' || fail "wire is not up"
"$tracewire" vnet show | grep -q '^tw7 .*up.*mtu 5000' || fail "vnet show: $("$tracewire" vnet show)"
"$tracewire" vnet show nowhere 2>/dev/null && fail "a wire that is not there is shown"

"$tracewire" vnet up tw7 2>"$scratch/why"
[ $? = 1 ] || fail "a second wire of that name"
[ "$(wc -l <"$scratch/why")" = 1 ] || fail "not one sentence: $(cat "$scratch/why")"
"$tracewire" vnet up a-name-that-is-too-long 2>/dev/null
[ $? = 2 ] || fail "an impossible name is no usage error"

"$tracewire" vnet down lo 2>/dev/null && fail "lo was removed"
ip link add stranger type veth peer name stranger-tx
"$tracewire" vnet down stranger 2>/dev/null && fail "somebody else's interface was removed"
ip link show stranger >/dev/null || fail "the stranger is gone"

"$tracewire" vnet down tw7 || fail "vnet down"
ip link show tw7 >/dev/null 2>&1 && fail "the wire is still there"
[ -z "$("$tracewire" vnet show)" ] || fail "vnet show after down: $("$tracewire" vnet show)"

# with_error SYSCALL:error=ERRNO:when=N WORD...: runs `tracewire vnet WORD...`, and lets call number N of SYSCALL fail. Return: its status
with_error() {
	local status=0

	timeout 200 strace -qq -o "$scratch/calls" -e trace=sendmsg,recvmsg -e "inject=$1" "$tracewire" vnet "${@:2}" >"$scratch/out" 2>"$scratch/why" ||
		status=$?
	[ $status = 0 ] || [ $status = 1 ] || fail "vnet ${*:2} with $1: status $status: $(cat "$scratch/why")"
	return $status
}

# libnl waits for an answer although the kernel refused the request.
with_error sendmsg:error=ENOMEM:when=1 show && fail "vnet show shows interfaces without having asked"
# The answer is lost: libnl reports success, and returns no interface.
for ((lost = 0, n = 1; n <= 30; n++)); do
	with_error recvmsg:error=ENOBUFS:when=$n up tw7 || lost=$((lost + 1))
	ip link del tw7 2>/dev/null
done
[ $lost -gt 0 ] || fail "no answer was lost"
exit $failed
