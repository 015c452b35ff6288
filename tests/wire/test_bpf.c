/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF programs can use wire/tracewire.h: the kernel runs XDP programs that include it on golden frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>

#include "base/bytes.h"
#include "count_events.skel.h"
#include "golden.h"
#include "wire/tracewire.h"

#define SKIPPED 77

static struct count_events *programs;

static int load(void **state)
{
	(void)state;
	programs = count_events__open_and_load();
	return programs ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	count_events__destroy(programs);
	return 0;
}

/* Runs a program on a golden frame after an Ethernet header. Return: its verdict */
static uint32_t run(const struct bpf_program *program, const char *name)
{
	uint8_t frame[ETH_HLEN + sizeof(((struct golden *)NULL)->data)] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .repeat = 1);
	struct golden golden;

	assert_int_equal(golden__load(name, &golden), 0);
	tw_store_be16(frame + ETH_HLEN - 2, TW_ETHERTYPE);
	memcpy(frame + ETH_HLEN, golden.data, golden.len);
	opts.data_size_in = (uint32_t)(ETH_HLEN + golden.len);
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(program), &opts), 0);
	return opts.retval;
}

static uint64_t counted(uint16_t id)
{
	uint64_t n = 0;

	if (bpf_map__lookup_elem(programs->maps.events_by_id, &id, sizeof(id), &n, sizeof(n), 0))
		return 0;
	return n;
}

static void events_are_counted_by_id(void **state)
{
	(void)state;
	assert_int_equal(run(programs->progs.count_events, "one-event"), XDP_PASS);
	assert_int_equal(counted(314), 1);
	assert_int_equal(run(programs->progs.count_events, "packed"), XDP_PASS);
	assert_int_equal(counted(314), 1); /* the sched_switch of "packed" is a FILTERED record */
	assert_int_equal(counted(100), 2);
	assert_int_equal(counted(101), 1);
	assert_int_equal(programs->bss->filtered, 1);
	assert_int_equal(run(programs->progs.count_events, "pad"), XDP_PASS);
	assert_int_equal(counted(102), 1);
	assert_int_equal(run(programs->progs.count_events, "host"), XDP_PASS);
	assert_int_equal(counted(0), 0);
}

static void one_event_frames_need_no_loop(void **state)
{
	(void)state;
	assert_int_equal(run(programs->progs.drop_switch_to_1002, "one-event"), XDP_DROP);
	assert_int_equal(run(programs->progs.drop_switch_to_1002, "packed"), XDP_PASS);
	assert_int_equal(run(programs->progs.drop_switch_to_1002, "clock"), XDP_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_counted_by_id),
		cmocka_unit_test(one_event_frames_need_no_loop),
	};

	if (geteuid() != 0) {
		printf("skipped: loading a BPF program needs root\n");
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, load, unload);
}
