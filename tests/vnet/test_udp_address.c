/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How users write a UDP destination. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vnet/udp_address.h"

static void test_forms(void **state)
{
	static const struct {
		const char *text, *host;
		unsigned int port;
		const char *written;
	} forms[] = {
		{ "collector", "collector", 18101, "collector:18101" },
		{ "collector:1", "collector", 1, "collector:1" },
		{ "10.0.0.7:65535", "10.0.0.7", 65535, "10.0.0.7:65535" },
		{ "[::1]", "::1", 18101, "[::1]:18101" },
		{ "[fe80::1%eth0]:99", "fe80::1%eth0", 99, "[fe80::1%eth0]:99" },
		{ "5000", "", 5000, ":5000" },
		{ ":5000", "", 5000, ":5000" },
		{ "[]:7", "", 7, ":7" },
	};
	char written[TW_UDP_TEXT_MAX];
	struct tw_udp_address got;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		assert_int_equal(tw_udp_address__parse(forms[i].text, &got, NULL), 0);
		assert_string_equal(got.host, forms[i].host);
		assert_int_equal(got.port, forms[i].port);
		tw_udp_address__format(&got, written);
		assert_string_equal(written, forms[i].written);
	}
}

static void assert_refused(const char *text, const char *why)
{
	struct tw_udp_address got;
	struct tw_error error;

	assert_int_equal(tw_udp_address__parse(text, &got, &error), -EINVAL);
	assert_string_equal(error.text, why);
}

static void test_refused(void **state)
{
	char longest[400];

	(void)state;
	assert_refused("", "'': give a host, a port or both, as in 10.0.0.7, 18101 or 10.0.0.7:18101");
	assert_refused("a:0", "'a:0': '0' is not a port; a port is a number from 1 to 65535");
	assert_refused("a:65536", "'a:65536': '65536' is not a port; a port is a number from 1 to 65535");
	assert_refused("a:", "'a:': '' is not a port; a port is a number from 1 to 65535");
	assert_refused("a:+1", "'a:+1': '+1' is not a port; a port is a number from 1 to 65535");
	assert_refused("70000", "'70000': '70000' is not a port; a port is a number from 1 to 65535");
	assert_refused("[::1]:http", "'[::1]:http': 'http' is not a port; a port is a number from 1 to 65535");
	assert_refused("::1", "'::1': write an IPv6 address in brackets, as in [::1]:18101");
	assert_refused("[::1", "'[::1': write an IPv6 address in brackets, as in [::1]:18101");
	assert_refused("[::1]5", "'[::1]5': write an IPv6 address in brackets, as in [::1]:18101");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_refused(longest, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...': a host name cannot have 399 characters");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
