# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced, with $tracewire, $differences and $scratch set: defines same_text, which compares report's text of a converted recording with
# trace-cmd's text of the original.
# shellcheck source=tests/shell/trace-cmd.sh
. "$(dirname "${BASH_SOURCE[0]}")/../shell/trace-cmd.sh"

# The events whose texts may differ, as patterns of names; $differences has a reason for each.
mapfile -t listed < <(sed -nE 's/^!?[^:#[:space:]]+:([^[:space:]]+)\t.*/\1/p' "$differences")

is_listed() { # EVENT
	local pattern

	for pattern in "${listed[@]}"; do
		# shellcheck disable=SC2053
		[[ $1 == $pattern ]] && return
	done
	return 1
}

# differing THEIRS OURS: prints for each line that differs the event and both texts; instead of the event "!" if libtraceevent could not
# parse it. A line without a time belongs to the event before it.
differing() {
	paste -d $'\001' "$1" "$2" | awk -F $'\001' '
		match($1, /[0-9]: [^ :]+:/) { event = substr($1, RSTART + 3, RLENGTH - 4) }
		$1 != $2 { print (index($1, "[FAILED TO PARSE]") ? "!" : event "") "\t" $1 "\n\t" $2 }'
}

# same_text FILE: checks that each line of trace-cmd report -N for FILE equals that of tracewire report for the converted FILE, except for
# listed events and events whose format libtraceevent cannot parse, and prints the numbers of equal and different lines. Only the first line
# of a stack is compared, because trace-cmd always prints eight callers.
same_text() {
	local name lines n event bad=0 known=0 unparsed=0

	name=$scratch/$(basename "$1" .dat)
	"$tracewire" convert -q "$1" "$name.pcapng" || { echo "FAIL: $1 cannot be converted"; return 1; }
	"$tracewire" report "$name.pcapng" >"$name.report" 2>"$name.err" || { echo "FAIL: $(cat "$name.err")"; return 1; }
	sed -E '/^\t=> /d' "$name.report" | as_trace_cmd >"$name.ours"
	trace_cmd_report -N "$1" | sed -E '/^\t=> /d' >"$name.theirs"
	lines=$(wc -l <"$name.theirs")
	if [ "$lines" -lt 2 ] || [ "$lines" != "$(wc -l <"$name.ours")" ]; then
		echo "FAIL: $1: $lines lines of trace-cmd, $(wc -l <"$name.ours") of tracewire"
		diff "$name.theirs" "$name.ours" | head -6
		return 1
	fi
	differing "$name.theirs" "$name.ours" >"$name.differing"
	while read -r n event; do
		case $event in
		'!') unparsed=$n ;;
		*) if is_listed "$event"; then known=$((known + n)); else
			bad=$((bad + n))
			echo "$n lines of $event differ:"
			grep -m 1 -A 1 "^$event	" "$name.differing"
		fi ;;
		esac
	done < <(sed -nE 's/^([^\t]+)\t.*/\1/p' "$name.differing" | sort | uniq -c)
	echo "$1: $lines lines, $((lines - bad - known - unparsed)) the same, $known differ as listed, $unparsed that" \
		"libtraceevent cannot parse, $bad differ otherwise"
	[ $bad = 0 ]
}
