/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct tw_identity id;

static void select_events(const char *events)
{
	id = (struct tw_identity){ .host = "" };
	strcpy(id.events, events);
}

static void test_selects(void **state)
{
	(void)state;
	select_events("sched,irq:softirq_*,net_dev_queue");
	assert_int_equal(tw_identity__selects(&id, "sched", "sched_switch"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__selects(&id, "irq", "softirq_entry"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__selects(&id, "net", "net_dev_queue"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__selects(&id, "irq", "irq_handler_entry"), TW_SELECTED_NO);
	assert_int_equal(tw_identity__selects(&id, "ftrace", "function"), TW_SELECTED_UNKNOWN);
	select_events("all");
	assert_int_equal(tw_identity__selects(&id, "irq", "irq_handler_entry"), TW_SELECTED_YES);
	select_events("");
	assert_int_equal(tw_identity__selects(&id, "irq", "irq_handler_entry"), TW_SELECTED_UNKNOWN);
}

/* A selection that was cut can have the beginning of a pattern at its end, and lacks others. */
static void test_cut(void **state)
{
	char events[256];

	(void)state;
	memset(events, 'x', sizeof(events));
	memcpy(events, "sched,", strlen("sched,"));
	memcpy(events + 255 - strlen(",irq"), ",irq", strlen(",irq") + 1);
	select_events(events);
	assert_int_equal(tw_identity__selects(&id, "sched", "sched_switch"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__selects(&id, "irq", "irq_handler_entry"), TW_SELECTED_UNKNOWN);
	assert_int_equal(tw_identity__selects(&id, "net", "net_dev_queue"), TW_SELECTED_UNKNOWN);
}

/* Appends an attribute to a HOST of @len bytes. */
static size_t put_hook(uint8_t *host, size_t len, const char *text)
{
	const size_t n = sizeof(struct tw_tlv) + strlen(text);

	memset(host + len, 0, n + 3);
	host[len + 1] = TW_HOST_HOOK;
	host[len + 2] = (uint8_t)(n >> 8);
	host[len + 3] = (uint8_t)n;
	memcpy(host + len + sizeof(struct tw_tlv), text, strlen(text));
	return len + (n + 3) / 4 * 4;
}

/* A socket event without a hook is not recorded, although it is selected. */
static void test_hooks(void **state)
{
	uint8_t host[512];
	size_t len = 0;

	(void)state;
	select_events("sockts,sched");
	assert_int_equal(tw_identity__records(&id, "sockts", "drop"), TW_SELECTED_YES);
	len = put_hook(host, len, "sockts:egress_ts and sockts:egress_stats, stage tcp: sockops of the root cgroup");
	len = put_hook(host, len, "sockts:held, stage wait_end: none: cgroup2 is not mounted");
	len = put_hook(host, len, "sockts:held_not, stage x: tracepoint x");
	tw_identity__host(&id, &(struct tw_tlv_view){ .value = host, .len = len });
	assert_int_equal(tw_identity__records(&id, "sockts", "egress_ts"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__records(&id, "sockts", "egress_stats"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__records(&id, "sockts", "held"), TW_SELECTED_NO);
	assert_int_equal(tw_identity__records(&id, "sockts", "held_not"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__records(&id, "sockts", "drop"), TW_SELECTED_NO);
	assert_int_equal(tw_identity__records(&id, "sched", "sched_switch"), TW_SELECTED_YES);
	len = put_hook(host, 0,
		       "sockts:drop, stage dropped: tracepoint kfree_skb"); /* another HOST replaces the hooks */
	tw_identity__host(&id, &(struct tw_tlv_view){ .value = host, .len = len });
	assert_int_equal(tw_identity__records(&id, "sockts", "drop"), TW_SELECTED_YES);
	assert_int_equal(tw_identity__records(&id, "sockts", "egress_ts"), TW_SELECTED_NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_selects), cmocka_unit_test(test_cut),
					    cmocka_unit_test(test_hooks) };

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
