/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_seeds DIR: seeds of fuzz_filter: all elements of the language, each with a record. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RECORD_LEN 72

static const char *const texts[] = {
	"sched.sched_switch.prev_pid == 0 && cpu == 1",
	"prev_comm == \"bash\" or next_comm ~ \"kworker/*\"",
	"softirq_raise.vec in {NET_RX, NET_TX} and not comm == \"ksoftirqd/0\"",
	"kmalloc.gfp_flags == GFP_HIGH|GFP_IO || time > 12.5",
	"trace.any.size & 0x0f == 3 and !(change < -5 or levels >= 017)",
	"prev_state & 3 != 0b10 && prev_prio not in {1, 5..9, -3..-1}",
	"event == sched_wakeup || system != \"irq\" or event in {\"large\", tiny}",
	"pid < 'a' and flags & hardirq and common_preempt_count eq 1",
	"prev_comm contains \"\\x41\\\"\\101\\n\" && host matches r\"^b.x$\"",
	"saddr == 10.0.0.0/8 or saddr_v6 == fe80::1/64 || gateway == 10.1.2.3",
	"mac == 02:00:5e:10:00:01 or mac contains 5e-10 and mac in {00:00:00:00:00:00..7f:00:00:00:00:00}",
	"cpus == \"0-3,7\" and name ~ \"[!a-c]?\\\\*\" or on == true",
	"next_comm matches \"(a|b)+[0-9]*$\" and prev_comm in {\"a\"..\"c\", 'swapper/0'}",
	"time in {0.000000001..3600} and comm != \"<idle>\" and prev_pid",
	"!((not (cpu ge 2)) and ((pid le 7)))",
	"vendor-bus.tiny.size == 300 || bytes_req >= 0xffffffffffffffff",
	/* found by fuzzing */
	"pid < \"a\\n\\xed\"",
	"pid or !(change < 07) and change != -9223372036854775808",
};

static int write_seed(const char *folder, size_t i, int flags)
{
	uint8_t record[RECORD_LEN];
	char path[4096];
	FILE *f;

	for (int at = 0; at < RECORD_LEN; at++)
		record[at] = (uint8_t)(at < 8 ? at : "bash\0\0\1\0\0\0a0"[at % 12]);
	snprintf(path, sizeof(path), "%s/%zu-%d", folder, i, flags);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	fputc(flags, f);
	fwrite(texts[i], 1, strlen(texts[i]) + 1, f);
	fwrite(record, 1, sizeof(record), f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	static const int flags[] = { 0x20, 0x7c, 0xbf };
	int err = argc != 2;

	for (size_t i = 0; !err && i < sizeof(texts) / sizeof(texts[0]) * 3; i++)
		err = write_seed(argv[1], i / 3, flags[i % 3]);
	return err ? 1 : 0;
}
