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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_selects), cmocka_unit_test(test_cut) };

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
