#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Error bounds of packet times, the certainty of the order of events, and OFFSET records: the same in one pass and in two.
. "$(dirname "$0")/common.sh"

info() {
	shark -r "$SAMPLES/clocks.pcap" -Y "$1" -T fields -e _ws.col.Info 2>&1
}

# passes WHAT WANTED FILTER FIELD...
passes() {
	local what=$1 wanted=$2 filter=$3 pass args=() f
	shift 3
	for f in "$@"; do
		args+=(-e "$f")
	done
	for pass in "" -2; do
		expect "$what $pass" "$wanted" "$(shark $pass -r "$SAMPLES/clocks.pcap" -Y "$filter" -T fields -E separator='|' \
			-E occurrence=f "${args[@]}" 2>&1 | paste -sd' ')"
	done
}

passes "the error is that of the stream's last OFFSET before the packet, where it is known" \
	"6|0.000035000 8|0.000015000 9|0.000015000 10|0.000035000 11|0.000035000 13|0.002000000 15|0.000015000 16|0.002000000 17|0.000015000 18|0.000015000" \
	trace.time_error frame.number trace.time_error
passes "an error as a filter" "13 16" "trace.time_error > 0.0001" frame.number
passes "a word without quotes" "6 8 10 13 14 15 17 20" "trace.order == uncertain" frame.number
passes "and with" "9 11 16 18" 'trace.order == "certain"' frame.number
passes "before any other stream there is no order" "3" "trace.pid && !trace.order" frame.number
expect "each event of a frame has both" "0.000035000,0.000035000,0.000035000|certain,certain,certain" \
	"$(fields clocks.pcap 'frame.number == 11' trace.time_error trace.order)"
expect "the interval of a time" 1 "$(TZ=UTC count clocks.pcap 'frame.number == 6 && trace.time_earliest == "2023-11-14 22:13:20.009965" && trace.time_latest == "2023-11-14 22:13:20.010035"')"
passes "packets with several events have no interval" "6 8 9 10 13 15 16 17 18" trace.time_earliest frame.number
expect "one stream: no order" 0 "$(count basic.pcap trace.order)"
expect "nothing else is written when a filter has them" "" \
	"$(shark -r "$SAMPLES/clocks.pcap" -Y 'trace.order == uncertain' 2>&1 > "$home/out")"

expect "a step" "OFFSET: wall clock set by -3600.000 s; times are within 2000 µs of the reference clock (sync)" \
	"$(info trace.expert.step)"
expect "a suspend" "OFFSET: suspended for 12.300 s; the error bound of the times is unknown" \
	"$(info trace.expert.suspend)"
expect "a leap second" "OFFSET: leap second: wall clock set by -1.000 s; the error bound of the times is unknown" \
	"$(info trace.expert.leap)"
expect "the TAI offset" "OFFSET: TAI offset changed by +37.000 s; the error bound of the times is unknown" "$(info trace.expert.tai)"
expect "a CLOCK of full length" "Metadata: clock 0.070000000, a leap second is being inserted, ptp4, ptp1" "$(info 'trace.clock.leap == 3')"
expect "its fields" "0.071000000|-3|4,1|1,5|0.000000100,0.000000900|0.000000035|1700000000.000000000,0.000000007|0.070000001,0.070000000" \
	"$(fields clocks.pcap 'frame.number == 28' trace.clock.raw trace.clock.tai_offset trace.clock.phc.index trace.clock.phc.method \
	trace.clock.phc.error trace.clock.phc.sync trace.clock.phc.time trace.clock.phc.trace)"
expect "an estimate" "OFFSET: times are within 15 µs of the reference clock (exchange)" "$(info 'trace.offset.kind == 4')"
expect "a request and a response" "TIME_SYNC 17: request, METADATA_REQUEST HOST and CLOCK, REFUSED: the table of streams is full TIME_SYNC 17: response TIME_SYNC 17: response" \
	"$(info trace.time_sync.id | paste -sd' ')"
expect "the end" "END of the stream" "$(info 'trace.tlv == 13')"
expect "losses that a capture host found" "LOST 3 events (wire gap), LOST 4 events (receiver ring)" "$(info trace.lost.count)"
expect "OFFSET" "4|1|-0.000000005|0.000015000|-7" "$(fields clocks.pcap 'trace.offset.kind == 4' trace.offset.kind \
	trace.offset.method trace.offset.offset trace.offset.error trace.offset.drift)"
expect "steps both ways can be filtered" "12 19" \
	"$(fields clocks.pcap 'trace.offset.step < -3599' frame.number) $(fields clocks.pcap 'trace.offset.step > 12.2 && trace.offset.step < 13' frame.number)"
expect "an error that is not known is not there" 0 "$(count clocks.pcap 'frame.number == 2 && trace.offset.error')"
expect "TIME_SYNC" "1700000000.000000000|5.000012000|5.000013500" "$(fields clocks.pcap 'frame.number == 22' \
	trace.time_sync.asked trace.time_sync.received trace.time_sync.answered)"
expect "the stamps of a TIME_SYNC" "2|1|3|16|4.000014000" "$(fields clocks.pcap 'frame.number == 22' trace.time_sync.received_by \
	trace.time_sync.answered_by trace.time_sync.sent_by trace.time_sync.previous trace.time_sync.sent)"
expect "a short TIME_SYNC has no stamps" "22" "$(fields clocks.pcap 'trace.time_sync.received_by || trace.time_sync.sent' frame.number)"
expect "the stamps of an OFFSET" "7|3|2|1|2" "$(fields clocks.pcap trace.offset.asked_by frame.number trace.offset.asked_by \
	trace.offset.received_by trace.offset.answered_by trace.offset.arrived_by)"
expect "METADATA_REQUEST" 1 "$(fields clocks.pcap trace.metadata_request.what trace.metadata_request.what)"
expect "REFUSED" 1 "$(fields clocks.pcap trace.refused.why trace.refused.why)"
expect "what is new of HOST and CLOCK" "hashed with a key|NTP|0.000002500" \
	"$(fields clocks.pcap 'frame.number == 1' trace.host.pointers trace.host.sync trace.clock.sync)"
expect "frames out of band have no numbers to miss" 0 \
	"$(count clocks.pcap 'trace.expert.gap || trace.expert.duplicate || trace.expert.reordered')"

can_export || finish
touch "$home/export.pcapng"
chmod 666 "$home/export.pcapng"
shark -2 -r "$SAMPLES/clocks.pcap" -Y 'frame.number == 16' -w "$home/export.pcapng" 2>&1
expect "an exported event keeps the OFFSET that its error is from" "0.002000000" \
	"$(shark -r "$home/export.pcapng" -Y trace.pid -T fields -e trace.time_error 2>&1)"
finish
