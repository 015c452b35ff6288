/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in /dev with the name of a PTP hardware clock, which are none. */
#include "clocks/phc.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *instead; /* the file that is opened instead of /dev/ptp0 */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/ptp0") != 0)
		return __real_open(path, flags, 0600);
	assert_true(flags & O_NONBLOCK); /* otherwise, opening a FIFO would block */
	assert_true(flags & O_CLOEXEC);
	return __real_open(instead, flags);
}

/* Return: the result of opening the clock. If it fails, nothing is open. */
static int try(const char *name, const char *file, struct tw_error *error)
{
	struct tw_phc_device phc;
	int err;

	instead = file;
	err = tw_phc__open(name, &phc, error);
	assert_int_equal(phc.fd >= 0, !err);
	tw_phc__close(&phc);
	return err;
}

static void test_other_files(void **state)
{
	static const char why[] =
		"/dev/ptp0 is not a device, and so no PTP hardware clock; `ls -l /dev/ptp0` shows what it is";
	char dir[] = "/tmp/test_phc.XXXXXX", fifo[64];
	struct tw_error error;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(try("ptp0", fifo, &error), -ENODEV);
	assert_string_equal(error.text, why);
	assert_int_equal(try("/dev/ptp0", dir, &error), -ENODEV);
	assert_string_equal(error.text, why);
	assert_int_equal(try("0", "/proc/self/stat", &error), -ENODEV);
	assert_string_equal(error.text, why);
	assert_int_equal(try("ptp0", "/dev/null", &error), 0); /* a device; reading it as a clock fails */
	unlink(fifo);
	rmdir(dir);
}

static void test_names(void **state)
{
	static const char *const names[] = { "ptp17", "/dev/ptp17", "17" };
	static const char *const others[] = { "eth0", "ptp", "ptp65536", "ptp0x1", "/dev/rtc0", "" };
	unsigned int index = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		index = 0;
		assert_true(tw_phc__index_of(names[i], &index) && tw_phc__is_name(names[i]));
		assert_int_equal(index, 17);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(tw_phc__index_of(others[i], &index));
	assert_true(tw_phc__is_name("eth0"));
	assert_false(tw_phc__is_name(""));
	assert_false(tw_phc__is_name("/dev/rtc0"));
	assert_false(tw_phc__is_name("sixteen-letters."));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_other_files), cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
