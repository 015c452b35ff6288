/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and texts are compared with printf of the C library, which libtraceevent uses. */
#include "schema/print/put.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static char room[4096];
static struct tw_line line;

static int setup(void **state)
{
	(void)state;
	line = tw_line__on(room, sizeof(room));
	return 0;
}

static void expect(const char *text)
{
	assert_int_equal(tw_line__len(&line), strlen(text));
	assert_memory_equal(room, text, strlen(text));
	line = tw_line__on(room, sizeof(room));
}

static void spec_text(const struct tw_put_spec *spec, char *ret, size_t size)
{
	const char *length = spec->size == 1 ? "hh" : spec->size == 2 ? "h" : spec->size == 8 ? "ll" : "";
	char width[16] = "", precision[16] = "";

	if (spec->width)
		snprintf(width, sizeof(width), "%d", spec->width);
	if (spec->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", spec->precision);
	snprintf(ret, size, "%%%s%s%s%s%s%s%s%s%c", spec->flags & TW_PUT_LEFT ? "-" : "",
		 spec->flags & TW_PUT_PLUS ? "+" : "", spec->flags & TW_PUT_SPACE ? " " : "",
		 spec->flags & TW_PUT_ALT ? "#" : "", spec->flags & TW_PUT_ZERO ? "0" : "", width, precision, length,
		 spec->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void check_number(const struct tw_put_spec *spec, uint64_t value)
{
	char format[64], text[256];

	spec_text(spec, format, sizeof(format));
	if (spec->size == 8)
		snprintf(text, sizeof(text), format, value);
	else
		snprintf(text, sizeof(text), format, (int)value);
	tw_put__number(&line, spec, value);
	expect(text);
}

static void check_string(const struct tw_put_spec *spec, const char *string)
{
	char format[64], text[256];

	spec_text(spec, format, sizeof(format));
	snprintf(text, sizeof(text), format, string);
	tw_put__string(&line, spec, string, strlen(string) + 1);
	expect(text);
}
#pragma GCC diagnostic pop

static void test_numbers(void **state)
{
	static const uint64_t values[] = { 0,          1,          9,          10,        255,        256,
					   0x7fffffff, 0x80000000, UINT32_MAX, INT64_MAX, 1ULL << 63, UINT64_MAX };
	static const char letters[] = "diuxXo";
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	static const int32_t widths[] = { 0, 1, 5, 20 }, precisions[] = { -1, 0, 1, 4, 22 };

	(void)state;
	for (size_t l = 0; l < strlen(letters); l++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
			for (uint8_t flags = 0; flags < 32; flags++)
				for (size_t w = 0; w < ARRAY_SIZE(widths); w++)
					for (size_t p = 0; p < ARRAY_SIZE(precisions); p++)
						for (size_t v = 0; v < ARRAY_SIZE(values); v++)
							check_number(&(struct tw_put_spec){ letters[l], flags, sizes[s],
											    widths[w], precisions[p] },
								     values[v]);
}

static void test_characters(void **state)
{
	(void)state;
	check_number(&(struct tw_put_spec){ 'c', 0, 4, 0, -1 }, 'x');
	check_number(&(struct tw_put_spec){ 'c', 0, 4, 4, -1 }, 'x');
	check_number(&(struct tw_put_spec){ 'c', TW_PUT_LEFT, 4, 4, -1 }, 'x');
}

static void test_strings(void **state)
{
	static const int32_t widths[] = { 0, 2, 16 }, precisions[] = { -1, 0, 3, 30 };
	static const char *const strings[] = { "", "a", "swapper/0" };

	(void)state;
	for (uint8_t flags = 0; flags < 2; flags++)
		for (size_t w = 0; w < ARRAY_SIZE(widths); w++)
			for (size_t p = 0; p < ARRAY_SIZE(precisions); p++)
				for (size_t s = 0; s < ARRAY_SIZE(strings); s++)
					check_string(&(struct tw_put_spec){ 's', flags, 4, widths[w], precisions[p] },
						     strings[s]);
	/* no NUL in the available bytes; and a negative width from a `*` */
	tw_put__string(&line, &(struct tw_put_spec){ 's', 0, 4, -5, -1 }, "abcdef", 3);
	expect("abc  ");
	tw_put__string(&line, &(struct tw_put_spec){ 's', 0, 4, INT32_MIN, 0 }, NULL, 0);
	assert_true(line.cut);
}

static void test_fit(void **state)
{
	(void)state;
	tw_line__str(&line, "x:READ");
	tw_put__fit(&line, &(struct tw_put_spec){ 's', 0, 4, 6, -1 }, 2);
	expect("x:  READ");
	tw_line__str(&line, "x:READ");
	tw_put__fit(&line, &(struct tw_put_spec){ 's', TW_PUT_LEFT, 4, 6, 2 }, 2);
	expect("x:RE    ");
	line = tw_line__on(room, 8);
	tw_line__str(&line, "x:READ");
	tw_put__fit(&line, &(struct tw_put_spec){ 's', 0, 4, 600, -1 }, 2);
	assert_memory_equal(room, "x:  READ", 8);
	assert_true(line.cut);
}

static struct tw_pointer pointer(const char *letters, size_t used)
{
	struct tw_text left = { letters, strlen(letters) };
	struct tw_pointer ret;

	tw_pointer__cut(&left, &ret);
	assert_int_equal(left.at - letters, used);
	assert_int_equal(left.len, strlen(letters) - used);
	return ret;
}

static void expect_address(const char *letters, size_t used, uint64_t address, const struct tw_print_host *host,
			   const char *text)
{
	const struct tw_pointer parsed = pointer(letters, used);

	assert_false(tw_pointer__is_bytes(&parsed));
	tw_put__address(&line, &parsed, address, host);
	expect(text);
}

static void test_addresses(void **state)
{
	struct tw_symbols *symbols = tw_symbols__new();
	const struct tw_print_host host = { .symbols = symbols };

	(void)state;
	tw_symbols__add(symbols, 0xffffffff81000000, 0x100, "do_it", 5, NULL, 0);
	expect_address("", 0, 0xffffffff81000012, &host, "0xffffffff81000012");
	expect_address(" ", 0, 0, &host, "(nil)");
	expect_address("x", 1, 0x12, &host, "0x12");
	expect_address("K,", 1, 0x12, NULL, "0x12");
	expect_address("s", 1, 0xffffffff81000012, &host, "do_it");
	expect_address("f", 1, 0xffffffff81000012, &host, "do_it");
	expect_address("S", 1, 0xffffffff81000012, &host, "do_it+0x12");
	expect_address("F", 1, 0xffffffff81000000, &host, "do_it+0x0");
	expect_address("B", 1, 0xffffffff81000012, &host, "do_it+0x12");
	expect_address("SR", 2, 0xffffffff81000012, &host, "do_it+0x12");
	expect_address("S", 1, 0xffffffff81000100, &host, "0xffffffff81000100");
	expect_address("S", 1, 0, NULL, "0x0");
	expect_address("e", 1, (uint64_t)-12, NULL, "-12");
	expect_address("e", 1, (uint64_t)-4095, NULL, "-4095");
	expect_address("e", 1, (uint64_t)-4096, NULL, "0xfffffffffffff000");
	expect_address("e", 1, 12, NULL, "0xc");
	tw_symbols__free(symbols);
}

static void expect_pointed(const char *letters, size_t used, int32_t width, const void *data, uint32_t len,
			   const char *text)
{
	const struct tw_put_spec spec = { .letter = 'p', .width = width, .precision = -1 };
	const struct tw_put_bytes bytes = { data, len, false };
	const struct tw_pointer parsed = pointer(letters, used);

	assert_true(tw_pointer__is_bytes(&parsed));
	tw_put__pointed(&line, &parsed, &spec, &bytes, 8);
	expect(text);
}

static void test_ip(void **state)
{
	static const uint8_t ip4[] = { 192, 168, 0, 7 };
	static const uint8_t ip6[] = { 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x1f };
	static const uint8_t loopback[16] = { [15] = 1 }, none[16];
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	static const uint8_t isatap[16] = { 0xfe, 0x80, [8] = 2, 0, 0x5e, 0xfe, 10, 1, 2, 3 };

	(void)state;
	expect_pointed("I4", 2, 0, ip4, 4, "192.168.0.7");
	expect_pointed("i4", 2, 0, ip4, 4, "192.168.000.007");
	expect_pointed("I4h:", 3, 0, ip4, 4, "7.0.168.192");
	expect_pointed("I4l", 3, 0, ip4, 4, "7.0.168.192");
	expect_pointed("I4b", 3, 0, ip4, 4, "192.168.0.7");
	expect_pointed("I4", 2, 0, ip4, 3, "INVALIDIPv4");
	expect_pointed("I6", 2, 0, ip6, 16, "2001:0db8:0000:0000:0001:0000:0000:001f");
	expect_pointed("i6", 2, 0, ip6, 16, "20010db800000000000100000000001f");
	expect_pointed("I6c", 3, 0, ip6, 16, "2001:db8::1:0:0:1f");
	expect_pointed("I6c", 3, 0, loopback, 16, "::1");
	expect_pointed("I6c", 3, 0, none, 16, "::");
	expect_pointed("I6c", 3, 0, mapped, 16, "::ffff:127.0.0.1");
	expect_pointed("I6c", 3, 0, isatap, 16, "fe80::200:5efe:10.1.2.3");
	expect_pointed("I6c", 3, 0, ip6, 15, "INVALIDIPv6");
}

static void test_sockaddr(void **state)
{
	static const uint8_t in[16] = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 };
	static const uint8_t in6[28] = { 10, 0, 0x1f, 0x90, [23] = 1 };
	static const uint8_t local[16] = { 1, 0, '/' };

	(void)state;
	expect_pointed("ISpc", 4, 0, in, 16, "127.0.0.1:8080");
	expect_pointed("ISpfsc ", 6, 0, in6, 28, "[::1]:8080");
	expect_pointed("IS", 2, 0, in6, 28, "0000:0000:0000:0000:0000:0000:0000:0001");
	expect_pointed("ISc", 3, 0, in6, 28, "::1");
	expect_pointed("iS", 2, 0, in, 16, "127.000.000.001");
	expect_pointed("ISp", 3, 0, in, 15, "INVALIDIPv4");
	expect_pointed("ISp", 3, 0, in6, 27, "INVALIDIPv6");
	expect_pointed("ISp", 3, 0, local, 16, "");
	expect_pointed("ISp", 3, 0, in, 1, "");
}

static void test_bytes(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x5f, 0x66, 0x77,
					 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };

	(void)state;
	expect_pointed("M", 1, 0, bytes, 6, "00:11:22:33:44:5f");
	expect_pointed("MF", 2, 0, bytes, 6, "00-11-22-33-44-5f");
	expect_pointed("MR", 2, 0, bytes, 6, "5f:44:33:22:11:00");
	expect_pointed("m", 1, 0, bytes, 6, "00112233445f");
	expect_pointed("mR", 2, 0, bytes, 6, "5f4433221100");
	expect_pointed("M", 1, 0, bytes, 5, "INVALIDMAC");
	expect_pointed("U", 1, 0, bytes, 16, "00112233-445f-6677-8899-aabbccddeeff");
	expect_pointed("UB", 2, 0, bytes, 16, "00112233-445F-6677-8899-AABBCCDDEEFF");
	expect_pointed("Ul", 2, 0, bytes, 16, "33221100-5f44-7766-8899-aabbccddeeff");
	expect_pointed("UL", 2, 0, bytes, 16, "33221100-5F44-7766-8899-AABBCCDDEEFF");
	expect_pointed("Ub", 2, 0, bytes, 15, "INVALIDUUID");
	expect_pointed("h", 1, 3, bytes, 16, "00 11 22");
	expect_pointed("hC", 2, 3, bytes, 2, "00:11");
	expect_pointed("hD", 2, 300, bytes, 3, "00-11-22");
	expect_pointed("hN", 2, 0, bytes, 3, "001122");
	expect_pointed("b", 1, 0, "\xff\x00\x00\x00\x03\x00\x00\x00", 8, "00000003,000000ff");
	expect_pointed("b", 1, 10, "\xff\xff\x00\x00", 4, "3ff");
	expect_pointed("b", 1, 37, "\xff\xff\x00\x00\xff", 5, "1f,0000ffff");
	expect_pointed("bl", 2, 0, "\xf1\x01\x00\x80", 4, "0,4-8,31");
}

/* On a big-endian host, bit 0 of a long is in its last byte. */
static void test_masks_of_big_endian(void **state)
{
	static const uint8_t mask[] = { 0, 0, 0, 0x81, 0, 0, 0, 2 };
	const struct tw_put_spec spec = { .letter = 'p', .width = 34, .precision = -1 };
	const struct tw_put_bytes bytes = { mask, sizeof(mask), true };
	const struct tw_pointer list = pointer("bl", 2), digits = pointer("b", 1);

	(void)state;
	tw_put__pointed(&line, &list, &spec, &bytes, 4);
	expect("0,7,33");
	tw_put__pointed(&line, &digits, &spec, &bytes, 4);
	expect("2,00000081");
	tw_put__pointed(&line, &list, &spec, &bytes, 8);
	expect("1,32");
	tw_put__bit_list(&line, &bytes, 64, 8);
	expect("1,32,39");
}

static void test_arrays(void **state)
{
	static const uint8_t data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const struct tw_put_bytes little = { data, 9, false }, big = { data, 9, true };

	(void)state;
	tw_put__array(&line, &little, 1);
	expect("{0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9}");
	tw_put__array(&line, &little, 2);
	expect("{0x201,0x403,0x605,0x807}");
	tw_put__array(&line, &big, 4);
	expect("{0x1020304,0x5060708}");
	tw_put__array(&line, &little, 8);
	expect("{0x807060504030201}");
	tw_put__hex(&line, &(struct tw_put_bytes){ data, 3, false }, ' ');
	expect("01 02 03");
	tw_put__bits(&line, &(struct tw_put_bytes){ data, 8, false }, 64, 8);
	expect("08070605,04030201");
	tw_put__bits(&line, &(struct tw_put_bytes){ data, 8, true }, 64, 8);
	expect("01020304,05060708");
	tw_put__bits(&line, &(struct tw_put_bytes){ data, 8, true }, 64, 4);
	expect("05060708,01020304");
	tw_put__bits(&line, &(struct tw_put_bytes){ data, 0, true }, 0, 8);
	expect("");
}

static void test_names(void **state)
{
	static const struct tw_print_name bits[] = {
		{ 1, "ONE" }, { 6, "SIX" }, { 0, "NONE" }, { 1ULL << 63, "TOP" }, { UINT64_MAX, "ALL" }
	};
	const struct tw_print_names names = { .names = bits, .n = ARRAY_SIZE(bits), .flags = true, .delimiter = "|" };

	(void)state;
	tw_put__symbolic(&line, &names, 6);
	expect("SIX");
	tw_put__symbolic(&line, &names, 0);
	expect("NONE");
	tw_put__symbolic(&line, &names, 0x1f);
	expect("0x1f");
	tw_put__flags(&line, &names, 7);
	expect("ONE|SIX");
	tw_put__flags(&line, &names, 0x15);
	expect("ONE|0x14");
	tw_put__flags(&line, &names, 0x8000000000000020);
	expect("TOP|0x20");
	tw_put__flags(&line, &(struct tw_print_names){ .names = bits, .n = 3, .flags = true, .delimiter = "|" }, 0);
	expect("");
	tw_put__flags(&line, &names, 0);
	expect("ALL");
	tw_put__flags(&line, &names, 0x20);
	expect("0x20");
}

static void test_dump(void **state)
{
	struct tw_put_dump dump = { "p: ", 2, 16, 1, true };
	struct tw_put_bytes bytes = { (const uint8_t *)"0123456789abcdef\x01z", 18, false };

	(void)state;
	tw_put__dump(&line, &dump, &bytes, 0);
	expect("p: 00000000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n"
	       "p: 00000010: 01 7a                                            .z");
	dump = (struct tw_put_dump){ "", 0, 16, 4, false };
	bytes.len = 8;
	tw_put__dump(&line, &dump, &bytes, 0);
	expect("33323130 37363534");
	dump = (struct tw_put_dump){ "", 1, 99, 8, true };
	tw_put__dump(&line, &dump, &bytes, 0x1234);
	expect("0000000000001234: 3736353433323130                   01234567");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_numbers, setup),
		cmocka_unit_test_setup(test_characters, setup),
		cmocka_unit_test_setup(test_strings, setup),
		cmocka_unit_test_setup(test_fit, setup),
		cmocka_unit_test_setup(test_addresses, setup),
		cmocka_unit_test_setup(test_ip, setup),
		cmocka_unit_test_setup(test_sockaddr, setup),
		cmocka_unit_test_setup(test_bytes, setup),
		cmocka_unit_test_setup(test_masks_of_big_endian, setup),
		cmocka_unit_test_setup(test_arrays, setup),
		cmocka_unit_test_setup(test_names, setup),
		cmocka_unit_test_setup(test_dump, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
