#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules follow the schema of a stream: if it gets another schema, the program is generated again, and the counters continue. Frames of other
# schemas match no rule, and are counted. The test runs for XDP and for tc.
# Usage: schema.sh TRACEWIRE SENDER CAPTURE
. "$(dirname "$0")/common.sh"
stream=1111111111111111

follow() { # HOOK
	local hook=$1 first
	attach "$hook" --hook "$hook" 'event == sched_switch' --action drop
	first=$(counted 'c["program"]')
	send
	comes_to "$hook: the first schema" "$switches" 'c["rules"][0]["events"]'

	# The same stream gets another schema, as if a module with events had been loaded.
	introduce deadbeef
	wait_for says "$scratch/$hook.err" '^the rules are now for schema 00000000deadbeef of stream '
	comes_to "$hook: the schema" 00000000deadbeef 'c["schema"]'
	[ "$(counted 'c["program"]')" != "$first" ] || fail "$hook: the program is the old one"
	comes_to "$hook: there is one" 1 'len(json.load(open(sys.argv[1])))'
	comes_to "$hook: the counters go on" "$switches" 'c["rules"][0]["events"]'
	send deadbeef
	comes_to "$hook: the second schema" $((2 * switches)) 'c["rules"][0]["events"]'

	# Another stream has another schema while the first stream lives: the events of the other stream pass, and this is reported.
	introduce deadbeef
	send cafe $stream
	wait_for says "$scratch/$hook.err" "^stream $stream has another schema, 000000000000cafe: .* pass and are counted"
	for _ in 1 2; do
		introduce beef 2222222222222222
		introduce cafe $stream
		introduce deadbeef
	done
	wait_for says "$scratch/$hook.err" '^stream 2222222222222222 has another schema'
	expect "$hook: said once of each" 2 "$(grep -c 'has another schema' "$scratch/$hook.err")"
	comes_to "$hook: the schema is still" 00000000deadbeef 'c["schema"]'
	comes_to "$hook: of another schema" "$events" 'c["other_schema"]["events"]'
	comes_to "$hook: no match" $((2 * switches)) 'c["rules"][0]["events"]'

	# When the first stream has been silent for some seconds, the rules change to the schema of the second.
	sleep 3.5
	send cafe $stream
	wait_for says "$scratch/$hook.err" "^the rules are now for schema 000000000000cafe of stream $stream"
	finish "$pid"
	nothing_left v1
}

follow xdp
follow tc

# If the formats are given (--from), the rules stay for this schema.
in_background given "$tracewire" filter attach -i v1 --from "$capture" 'event == sched_switch' --action drop
wait_for says "$scratch/given.err" '^attached to v1'
send deadbeef
sleep 0.5
comes_to "of another schema" "$events" 'c["other_schema"]["events"]'
send
comes_to "of the given one" "$switches" 'c["rules"][0]["events"]'
finish "$pid"
exit $failed
