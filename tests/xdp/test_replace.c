/* SPDX-License-Identifier: GPL-2.0-or-later */
/* If a NIC refuses a program that replaces another one, the state file still names the attached program. Kernel and NIC are simulated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "schema/schema.h"
#include "xdp/attach.h"
#include "xdp/state.h"

#define NOBODY 65534

static uint32_t next_id;  /* the kernel's id of the next program that is loaded */
static bool is_refused;   /* the NIC refuses programs */
static uint32_t attached; /* the program that the NIC runs; 0 = none */

/* The linker's --wrap option makes the library call these functions instead of its own. */
int __wrap_tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *error);
int __wrap_tw_loaded__load(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error);
int __wrap_tw_loaded__fd(const struct tw_loaded *loaded);
int __wrap_tw_program__id(int fd, uint32_t *ret, struct tw_error *error);
int __wrap_tw_xdp__plan(const struct tw_state *state, struct tw_error *error);
int __wrap_tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error);

int __wrap_tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *error)
{
	(void)maps, (void)rows, (void)offload_to, (void)error;
	return 0;
}

int __wrap_tw_loaded__load(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error)
{
	(void)error;
	*ret = (struct tw_loaded){ .options = *options };
	return 0;
}

int __wrap_tw_loaded__fd(const struct tw_loaded *loaded)
{
	(void)loaded;
	return STDERR_FILENO;
}

int __wrap_tw_program__id(int fd, uint32_t *ret, struct tw_error *error)
{
	(void)fd, (void)error;
	*ret = next_id;
	return 0;
}

int __wrap_tw_xdp__plan(const struct tw_state *state, struct tw_error *error)
{
	(void)state, (void)error;
	return 0;
}

int __wrap_tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error)
{
	(void)program, (void)old;
	if (is_refused)
		return tw_error__set(error, -EOPNOTSUPP, "refused");
	attached = state->public.program;
	return 0;
}

/* Counts the state files, reads the id of the program in them, and removes them. */
struct found {
	unsigned int n;
	uint32_t program;
	bool remove;
};

static int look(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	struct found *found = ctx;
	struct tw_state state;

	(void)error;
	assert_int_equal(tw_state__read(file, &state, NULL), 0);
	found->n++;
	found->program = state.public.program;
	tw_state__fini(&state);
	if (found->remove)
		tw_state_file__remove(file);
	return 0;
}

static uint32_t program_in_file(bool remove)
{
	struct found found = { .remove = remove };

	assert_int_equal(tw_state_file__each(TW_STATE_FILES, look, &found, NULL), 0);
	assert_int_equal(found.n, 1);
	return found.program;
}

static void test_refused_replacement(void **state)
{
	const struct tw_classifier_rule rule = { .expression = "cpu == 1", .action = TW_ACTION_DROP };
	const struct tw_classifier_options options = {
		.ifname = "lo", .place = TW_ATTACH_XDP, .offload = true, .persist = true, .rules = &rule, .n = 1
	};
	struct tw_classifier_schema schema = { .schema = tw_schema__new(), .id = 1 };
	struct tw_classifier *classifier;
	struct tw_error error = { "" };

	(void)state;
	assert_non_null(schema.schema);
	if (tw_classifier__new(&options, &classifier, &error))
		fail_msg("%s", error.text);
	is_refused = true;
	next_id = 10;
	assert_int_equal(tw_classifier__bind(classifier, &schema, &error), -EOPNOTSUPP);
	assert_int_equal(program_in_file(false), 0);
	is_refused = false;
	next_id = 11;
	if (tw_classifier__bind(classifier, &schema, &error))
		fail_msg("%s", error.text);
	assert_int_equal(attached, 11);
	assert_int_equal(program_in_file(false), 11);
	is_refused = true;
	next_id = 12;
	schema.id = 2;
	assert_int_equal(tw_classifier__bind(classifier, &schema, &error), -EOPNOTSUPP);
	assert_string_equal(error.text, "refused");
	assert_int_equal(program_in_file(false), 11);
	assert_int_equal(tw_classifier__attached(classifier)->program, 11);
	assert_int_equal(program_in_file(true), 11);
	tw_classifier__free(classifier, NULL);
	tw_schema__free((struct tw_schema *)schema.schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refused_replacement) };
	char folder[] = "/tmp/tracewire-replace-XXXXXX";
	int failed;

	/* The test does not run as root, because root's directory of state files belongs to all runs on this machine. */
	if ((!geteuid() && (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))) ||
	    !mkdtemp(folder) || setenv("RUNTIME_DIRECTORY", folder, 1))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
