/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs/binding.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "tests/schema/texts.h"

static const char waking[] =
	EVENT_TEXT("sched_waking", 1,
		   FIELD("char comm[8]", 8, 8, 0) FIELD("pid_t pid", 16, 4, 1) FIELD("void * function", 24, 8, 0)
			   FIELD("unsigned int vec", 32, 4, 0) FIELD("int delta", 36, 4, 1),
		   "print fmt: \"vec=%s\", __print_symbolic(REC->vec, { 3, \"NET_RX\" })");

struct waking {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t common_pid;
	char comm[8];
	int32_t pid, hole;
	uint64_t function;
	uint32_t vec;
	int32_t delta;
};

static struct tw_format *format;
static struct tw_print *print;
static struct tw_pair_names *names;
static struct tw_symbols *symbols;
static struct waking event;
static struct tw_record record;
static struct tw_print_host host;
static struct tw_pair_input input;
static struct tw_pair_table *table;

static int setup(void **state)
{
	(void)state;
	event = (struct waking){
		.common_pid = 9, .comm = "bash", .pid = 42, .function = 0x1010, .vec = 3, .delta = -5
	};
	if (tw_format__parse(waking, strlen(waking), "sched", &format, NULL))
		return -1;
	print = tw_print__new(format);
	names = tw_pair_names__new();
	symbols = tw_symbols__new();
	table = tw_pair_table__new();
	tw_symbols__add(symbols, 0x1000, 0x100, "work_fn", 7, NULL, 0);
	record = (struct tw_record){ .data = (const uint8_t *)&event, .len = sizeof(event), .big_endian = TW_HOST_BE };
	host = (struct tw_print_host){ .symbols = symbols };
	input = (struct tw_pair_input){ .stream = 7,
					.pid = 9,
					.cpu = 3,
					.comm = "make",
					.comm_len = 4,
					.record = &record,
					.print = print,
					.host = &host };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tw_print__free(print);
	tw_format__free(format);
	tw_pair_names__free(names);
	tw_symbols__free(symbols);
	tw_pair_table__free(table);
	return 0;
}

/* Makes a pair with the keys @keys and the groups @by, and binds its first event to @format. Return: as tw_pair_binding__make() */
static int bind(const char *keys, const char *by, struct tw_pair_binding *ret, struct tw_error *error)
{
	char text[256];
	const struct tw_pair *pair;

	snprintf(text, sizeof(text), "pair p\nbegin sched:sched_waking %s\nend sched:sched_waking %s\nby %s\n", keys,
		 keys, by);
	assert_int_equal(tw_pair_table__parse(table, text, strlen(text), "p", error), 0);
	pair = tw_pair_table__find(table, "p", NULL);
	assert_true(tw_pair_binding__is_of(&pair->events[0], format));
	return tw_pair_binding__make(pair, &pair->events[0], format, pair->by, pair->n_by, ret, error);
}

/* The key pid is the event's own field of this name: in sched_waking, the task that wakes up. common_pid is the task that wakes it. */
static void test_keys(void **state)
{
	struct tw_pair_binding binding;
	struct tw_pairing_key key;
	struct tw_error error;

	(void)state;
	assert_int_equal(bind("pid,common_pid,cpu,delta", "cpu", &binding, &error), 0);
	assert_true(tw_pair_binding__key(&binding, &input, names, &key));
	assert_int_equal(key.stream, 7);
	assert_int_equal(key.values[0], 42);
	assert_int_equal(key.values[1], 9);
	assert_int_equal(key.values[2], 3);
	assert_int_equal(key.values[3], -5);
	assert_int_equal(bind("vec", "cpu", &binding, &error), 0);
	assert_true(tw_pair_binding__key(&binding, &input, names, &key));
	assert_int_equal(key.values[0], 3);
	assert_int_equal(key.values[1], 0);
	record.len = 34; /* cut in the middle of vec */
	assert_false(tw_pair_binding__key(&binding, &input, names, &key));
}

/* Two text keys are equal if their bytes before the first NUL are equal. */
static void test_text_keys(void **state)
{
	struct tw_pair_binding binding;
	struct tw_pairing_key first, second;
	struct tw_error error;

	(void)state;
	assert_int_equal(bind("comm", "cpu", &binding, &error), 0);
	assert_true(tw_pair_binding__key(&binding, &input, names, &first));
	memcpy(event.comm, "bash\0xyz", 8);
	assert_true(tw_pair_binding__key(&binding, &input, names, &second));
	assert_int_equal(first.values[0], second.values[0]);
	memcpy(event.comm, "bashbash", 8);
	assert_true(tw_pair_binding__key(&binding, &input, names, &second));
	assert_int_not_equal(first.values[0], second.values[0]);
	assert_string_equal(tw_pair_names__text(names, second.values[0]), "bashbash");
}

/* The ends of a connection: an IPv4 and an IPv6 address. Other arrays are no keys. */
static const char connection[] =
	EVENT_TEXT("sched_waking", 1,
		   FIELD("__u8 saddr[4]", 8, 4, 0) FIELD("__u8 daddr[4]", 12, 4, 0)
			   FIELD("__u8 saddr_v6[16]", 16, 16, 0) FIELD("__u8 daddr_v6[16]", 32, 16, 0)
				   FIELD("__u8 other[4]", 48, 4, 0),
		   "print fmt: \"\"");

static void test_address_keys(void **state)
{
	uint8_t bytes[52] = { 0 };
	struct tw_pair_binding binding;
	struct tw_pairing_key key;
	struct tw_error error;

	(void)state;
	tw_format__free(format);
	assert_int_equal(tw_format__parse(connection, strlen(connection), "sched", &format, NULL), 0);
	record = (struct tw_record){ .data = bytes, .len = sizeof(bytes) };
	input.print = NULL;
	assert_int_equal(bind("saddr,daddr,saddr_v6,daddr_v6", "cpu", &binding, &error), 0);
	memcpy(bytes + 8, "\x0a\0\0\1\x0a\0\0\2", 8); /* NULs end no address */
	memcpy(bytes + 16, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	memcpy(bytes + 32, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	assert_true(tw_pair_binding__key(&binding, &input, names, &key));
	assert_int_not_equal(key.values[0], key.values[1]);
	assert_int_not_equal(key.values[0], key.values[2]);
	assert_int_equal(key.values[2], key.values[3]);
	record.len = 40;
	assert_false(tw_pair_binding__key(&binding, &input, names, &key));
	assert_int_equal(bind("other", "cpu", &binding, &error), -EINVAL);
	assert_string_equal(error.text,
			    "p:2:7: field 'other' of sched_waking cannot be a key: it is neither a number nor a "
			    "text nor an IP address");
}

static void test_missing_key(void **state)
{
	struct tw_pair_binding binding;
	struct tw_error error;

	(void)state;
	assert_int_equal(bind("dleta", "cpu", &binding, &error), -EINVAL);
	assert_string_equal(error.text,
			    "p:2:7: sched_waking has no field 'dleta', which is a key of pair p; did you mean delta?");
	assert_int_equal(bind("zzzz", "cpu", &binding, &error), -EINVAL);
	assert_string_equal(error.text, "p:2:7: sched_waking has no field 'zzzz', which is a key of pair p");
}

static void expect_groups(const char *by, size_t n, const char *const *texts)
{
	struct tw_pair_binding binding;
	struct tw_error error;
	uint64_t groups[TW_PAIR_KEYS_MAX] = { 77, 77, 77, 77 };

	assert_int_equal(bind("pid", by, &binding, &error), 0);
	for (int again = 0; again < 2; again++) { /* first, the texts come from the record; then, from the cache */
		assert_true(tw_pair_binding__group(&binding, &input, n, names, groups));
		for (size_t i = 0; i < n; i++) {
			if (texts[i])
				assert_string_equal(tw_pair_names__text(names, groups[i]), texts[i]);
			else
				assert_int_equal(groups[i], 77);
		}
	}
}

static void test_groups(void **state)
{
	(void)state;
	expect_groups("vec,function,delta,comm", 4, (const char *const[]){ "NET_RX", "work_fn", "-5", "bash" });
	expect_groups("cpu,pid,other", 3, (const char *const[]){ "3", "42", NULL });
	event.vec = 4;
	event.function = 0x5000;
	expect_groups("vec,function,common_pid", 3, (const char *const[]){ "4", "0x5000", "9" });
	record.len = 20;
	expect_groups("vec", 1, (const char *const[]){ "?" });
}

static void test_other_event(void **state)
{
	static const struct tw_pair_event any = { .event = "sched_waking" },
					  other = { .system = "irq", .event = "sched_waking" },
					  longer = { .event = "sched_wakin" };

	(void)state;
	assert_true(tw_pair_binding__is_of(&any, format));
	assert_false(tw_pair_binding__is_of(&other, format));
	assert_false(tw_pair_binding__is_of(&longer, format));
}

/* A set of names has a limit: all further texts get the number TW_PAIR_OTHER. */
static void test_many_names(void **state)
{
	char text[TW_PAIR_NAME_MAX + 20];
	uint32_t last = 0;

	(void)state;
	for (unsigned int i = 0; i < TW_PAIR_NAMES_MAX; i++) {
		const int len = snprintf(text, sizeof(text), "%u", i);

		last = tw_pair_names__add(names, text, (size_t)len);
		assert_true(last > TW_PAIR_OTHER);
	}
	assert_string_equal(tw_pair_names__text(names, last), "65535");
	assert_int_equal(tw_pair_names__add(names, "65535", 5), last);
	assert_int_equal(tw_pair_names__add(names, "new", 3), TW_PAIR_OTHER);
	assert_string_equal(tw_pair_names__text(names, TW_PAIR_OTHER), "(others)");
	assert_string_equal(tw_pair_names__text(names, TW_PAIR_NO_NAME), "(others)");
	memset(text, 'x', sizeof(text));
	assert_int_equal(tw_pair_names__add(names, text, 3), TW_PAIR_OTHER);
}

static void test_long_names(void **state)
{
	char text[TW_PAIR_NAME_MAX + 20];
	uint32_t name;

	(void)state;
	memset(text, 'x', sizeof(text));
	name = tw_pair_names__add(names, text, sizeof(text));
	assert_int_equal(strlen(tw_pair_names__text(names, name)), TW_PAIR_NAME_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_text_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_address_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_key, setup, teardown),
		cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_event, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_names, setup, teardown),
	};

	return cmocka_run_group_tests_name("pair binding", tests, NULL, NULL);
}
