#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules follow the schema of a stream: made anew when it has another, the counters going on; frames of other schemas match nothing
# and are counted. At XDP and at tc.
# Usage: schema.sh TRACEWIRE SENDER CAPTURE
. "$(dirname "$0")/common.sh"
stream=1111111111111111

is_counted() { # EXPRESSION: what counted() prints is True
	[ "$(counted "$1")" = True ]
}

follow() { # HOOK
	local hook=$1 own first
	attach "$hook" --hook "$hook" 'event == sched_switch' --action drop
	own=$(counted 'c["schema"]')
	first=$(counted 'c["program"]')
	send
	expect "$hook: the first schema" "$switches" "$(counted 'c["rules"][0]["events"]')"

	# The same stream has another: as when a module brought events. Its formats stand before its events, which are in time.
	send deadbeef
	wait_for says "$scratch/$hook.err" '^the rules are now for schema 00000000deadbeef of stream '
	expect "$hook: the schema" 00000000deadbeef "$(counted 'c["schema"]')"
	[ "$(counted 'c["program"]')" != "$first" ] || fail "$hook: the program is the old one"
	expect "$hook: there is one" 1 "$(counted 'len(json.load(open(sys.argv[1])))')"
	before=$(counted 'c["rules"][0]["events"]')
	[ "$before" -ge "$switches" ] || fail "$hook: the counters begin anew with $before"
	send deadbeef
	expect "$hook: the second schema" $((before + switches)) "$(counted 'c["rules"][0]["events"]')"

	# Another stream with another schema while the first lives: its events pass, and that is said.
	other=$(counted 'c["other_schema"]["events"]')
	send cafe $stream
	wait_for says "$scratch/$hook.err" "^stream $stream has another schema, 000000000000cafe: .* pass and are counted"
	expect "$hook: the schema is still" 00000000deadbeef "$(counted 'c["schema"]')"
	expect "$hook: of another schema" $((other + events)) "$(counted 'c["other_schema"]["events"]')"
	expect "$hook: no match" $((before + switches)) "$(counted 'c["rules"][0]["events"]')"

	# When the first has been silent, the rules are for the second.
	sleep 3.5
	send cafe $stream
	wait_for says "$scratch/$hook.err" "^the rules are now for schema 000000000000cafe of stream $stream"
	finish "$pid"
	nothing_left v1
}

follow xdp
follow tc

# Given formats are not followed: the rules stay for that schema.
in_background given "$tracewire" filter attach -i v1 --from "$capture" 'event == sched_switch' --action drop
wait_for says "$scratch/given.err" '^attached to v1'
send deadbeef
sleep 0.5
expect "of another schema" "$events" "$(counted 'c["other_schema"]["events"]')"
send
expect "of the given one" "$switches" "$(counted 'c["rules"][0]["events"]')"
finish "$pid"
exit $failed
