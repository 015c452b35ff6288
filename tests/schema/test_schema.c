/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/schema.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "texts.h"

static int add(struct tw_schema *schema, const char *system, const char *name, unsigned int id)
{
	char text[256];
	int len = snprintf(text, sizeof(text),
			   "name: %s\nID: %u\nformat:\n\tfield:__data_loc long[] a;\toffset:8;\tsize:4;\n", name, id);

	return tw_schema__add(schema, system, text, (size_t)len, NULL, NULL);
}

static void test_lookup(void **state)
{
	struct tw_schema *schema = tw_schema__new();

	(void)state;
	assert_non_null(schema);
	assert_null(tw_schema__by_id(schema, 0));
	assert_null(tw_schema__by_name(schema, NULL, "b"));
	assert_int_equal(add(schema, "two", "b", 65535), 0);
	assert_int_equal(add(schema, "one", "a", 300), 0);
	assert_int_equal(add(schema, "one", "b", 256), 0);
	assert_int_equal(add(schema, "zero", "c", 0), 0);
	assert_int_equal(tw_schema__count(schema), 4);
	assert_int_equal(tw_schema__at(schema, 0)->id, 0);
	assert_int_equal(tw_schema__at(schema, 1)->id, 256);
	assert_int_equal(tw_schema__at(schema, 2)->id, 300);
	assert_int_equal(tw_schema__at(schema, 3)->id, 65535);
	assert_null(tw_schema__at(schema, 4));
	assert_string_equal(tw_schema__by_id(schema, 300)->name, "a");
	assert_null(tw_schema__by_id(schema, 301));
	assert_int_equal(tw_schema__by_name(schema, NULL, "b")->id, 256);
	assert_int_equal(tw_schema__by_name(schema, "two", "b")->id, 65535);
	assert_null(tw_schema__by_name(schema, "two", "a"));
	tw_schema__free(schema);
	tw_schema__free(NULL);
}

static void test_replace(void **state)
{
	struct tw_schema *schema = tw_schema__new();

	(void)state;
	assert_int_equal(add(schema, "s", "old", 7), 0);
	assert_int_equal(tw_schema__add(schema, "s", "nonsense", 8, NULL, NULL), -EINVAL);
	assert_string_equal(tw_schema__by_id(schema, 7)->name, "old");
	assert_int_equal(add(schema, "s", "new", 7), 0);
	assert_string_equal(tw_schema__by_id(schema, 7)->name, "new");
	assert_int_equal(tw_schema__count(schema), 1);
	tw_schema__free(schema);
}

static void test_long_size(void **state)
{
	struct tw_schema *schema = tw_schema__new();

	(void)state;
	assert_int_equal(add(schema, "s", "before", 1), 0);
	tw_schema__set_long_size(schema, 0); /* an invalid size: the fields keep theirs */
	assert_int_equal(tw_schema__by_id(schema, 1)->fields[0].elem_size, 8);
	tw_schema__set_long_size(schema, 4);
	assert_int_equal(add(schema, "s", "after", 2), 0);
	assert_int_equal(tw_schema__by_id(schema, 1)->fields[0].elem_size, 4);
	assert_int_equal(tw_schema__by_id(schema, 2)->fields[0].elem_size, 4);
	tw_schema__free(schema);
}

/* However many large texts are added, the memory is limited, and existing formats are kept. */
static void test_memory(void **state)
{
	struct tw_schema *schema = tw_schema__new();
	char *text = malloc(TW_FORMAT_TEXT_MAX);
	struct tw_error err = { "" };
	unsigned int id;
	int error = 0;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', TW_FORMAT_TEXT_MAX);
	for (id = 0; !error && id < 1000; id++) {
		int len = sprintf(text, "name: %u\nID: %u\nprint fmt:", id, id);

		text[len] = 'x';
		error = tw_schema__add(schema, "s", text, TW_FORMAT_TEXT_MAX, NULL, &err);
	}
	assert_int_equal(error, -E2BIG);
	assert_non_null(strstr(err.text, "64 MiB"));
	assert_in_range(id, 250, 260);
	assert_int_equal(tw_schema__count(schema), id - 1);
	assert_int_equal(tw_schema__add(schema, "s", text, 30, NULL, &err), 0);
	tw_schema__free(schema);
	free(text);
}

static void check_digest(const char *message, size_t repeat, const char *expected)
{
	uint8_t digest[TW_SHA256_SIZE];
	struct tw_sha256 sha;
	char hex[2 * TW_SHA256_SIZE + 1];

	tw_sha256__init(&sha);
	for (size_t i = 0; i < repeat; i++)
		tw_sha256__update(&sha, message, strlen(message));
	tw_sha256__fini(&sha, digest);
	for (size_t i = 0; i < TW_SHA256_SIZE; i++)
		sprintf(hex + 2 * i, "%02x", digest[i]);
	assert_string_equal(hex, expected);
}

/* The examples of FIPS 180-2, appendix B, and lengths around the end of a block, compared with coreutils' sha256sum. */
static void test_sha256(void **state)
{
	(void)state;
	check_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	check_digest("x", 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
	check_digest("x", 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
	check_digest("x", 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

static uint64_t hash(bool big_endian, uint8_t long_size, const char *system, const char *text)
{
	struct tw_schema_hash h;

	tw_schema_hash__init(&h, big_endian, long_size);
	tw_schema_hash__text(&h, system, text, strlen(text));
	return tw_schema_hash__fini(&h);
}

static void test_hash(void **state)
{
	const uint64_t id = hash(false, 8, "sched", "text");
	struct tw_schema_hash h;

	(void)state;
	assert_true(id == 0x9e796f4d8bfd4d97);
	assert_true(id != hash(true, 8, "sched", "text"));
	assert_true(id != hash(false, 4, "sched", "text"));
	assert_true(id != hash(false, 8, "schedt", "ext"));
	tw_schema_hash__init(&h, false, 8);
	assert_true(tw_schema_hash__fini(&h) != 0);
}

/* A schema still owns the formats that it lends to a view, even if the view gets one of them again. */
static void test_view(void **state)
{
	struct tw_schema *schema = tw_schema__new(), *view = tw_schema__new_view();

	(void)state;
	assert_int_equal(add(schema, "one", "a", 300), 0);
	assert_int_equal(add(schema, "one", "b", 256), 0);
	assert_int_equal(tw_schema__lend(view, tw_schema__by_id(schema, 300), NULL), 0);
	assert_int_equal(tw_schema__lend(view, tw_schema__by_id(schema, 256), NULL), 0);
	assert_int_equal(tw_schema__lend(view, tw_schema__by_id(schema, 256), NULL), 0);
	assert_int_equal(tw_schema__count(view), 2);
	assert_ptr_equal(tw_schema__by_name(view, "one", "b"), tw_schema__by_id(schema, 256));
	assert_true(tw_schema__memory(view) < tw_schema__memory(schema));
	tw_schema__free(view);
	assert_string_equal(tw_schema__by_id(schema, 300)->name, "a");
	tw_schema__free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup), cmocka_unit_test(test_replace), cmocka_unit_test(test_long_size),
		cmocka_unit_test(test_view),   cmocka_unit_test(test_memory),  cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
