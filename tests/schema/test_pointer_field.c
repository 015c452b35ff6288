/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which fields are addresses: each rule is applied to fields as kernels have them. */
#include "schema/pointer_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "texts.h"

enum { NEVER, ALWAYS, LARGE, KERNEL };

static const uint64_t leasts[] = {
	[NEVER] = 0,
	[ALWAYS] = TW_POINTER_MIN,
	[LARGE] = TW_POINTER_MIN_LARGE,
	[KERNEL] = TW_POINTER_MIN_KERNEL,
};

/* clang-format off */
static const struct row {
	const char *system, *field, *name, *print;
	int expected;
} rows[] = {
	/* by its type */
	{ "skb", FIELD("void * skbaddr", 8, 8, 0), "skbaddr", "\"\"", ALWAYS },
	{ "timer", FIELD("void (*done)(int)", 8, 8, 0), "done", "\"\"", ALWAYS },
	{ "made", FIELD("void * entries[4]", 8, 32, 0), "entries", "\"\"", ALWAYS },
	{ "made", FIELD("__data_loc void *[] list", 8, 4, 0), "list", "\"\"", ALWAYS },
	{ "made", FIELD("__data_loc char[] name", 8, 4, 0), "name", "\"%s\", __get_str(name)", NEVER },
	/* by its conversion */
	{ "kmem", FIELD("unsigned long where", 8, 8, 0), "where", "\"%pS\", (void *)REC->where", ALWAYS },
	{ "kmem", FIELD("unsigned long where", 8, 8, 0), "where", "\"%px\", (void *)REC->where", ALWAYS },
	{ "filelock", FIELD("fl_owner_t owner", 8, 8, 0), "owner", "\"%p\", REC->owner", ALWAYS },
	{ "kmem", FIELD("unsigned long pfn", 8, 8, 0), "pfn",
	  "\"%p\", (((struct page *)vmemmap_base) + (REC->pfn))", KERNEL },
	{ "net", FIELD("u8 addr6[16]", 8, 16, 0), "addr6", "\"%pI6\", REC->addr6", NEVER },
	/* by its name */
	{ "exceptions", FIELD("unsigned long address", 8, 8, 0), "address", "\"%lx\", REC->address", ALWAYS },
	{ "kvm", FIELD("u64 fault_address", 8, 8, 0), "fault_address", "\"%llx\", REC->fault_address", ALWAYS },
	{ "probes", FIELD("unsigned long __probe_ip", 8, 8, 0), "__probe_ip", "\"(%lx)\", REC->__probe_ip", ALWAYS },
	{ "vmalloc", FIELD("unsigned long va_start", 8, 8, 0), "va_start", "\"%lu\", REC->va_start", ALWAYS },
	{ "ftrace", FIELD("unsigned long caller[8]", 8, 64, 0), "caller", "\"\"", ALWAYS },
	{ "dma", FIELD("u64 phys_addr", 8, 8, 0), "phys_addr", "\"%llx\", REC->phys_addr", KERNEL },
	{ "swiotlb", FIELD("dma_addr_t dev_addr", 8, 8, 0), "dev_addr", "\"%llx\", REC->dev_addr", KERNEL },
	{ "ras", FIELD("long address", 8, 8, 1), "address", "\"%lx\", REC->address", NEVER },
	{ "tcp", FIELD("__u8 saddr[4]", 8, 4, 0), "saddr", "\"%pI4\", REC->saddr", NEVER },
	{ "made", FIELD("u32 src_ip", 8, 4, 0), "src_ip", "\"%x\", REC->src_ip", NEVER },
	{ "net", FIELD("int addr_len", 8, 4, 1), "addr_len", "\"%d\", REC->addr_len", NEVER },
	/* arguments and results of system calls and functions */
	{ "raw_syscalls", FIELD("unsigned long args[6]", 8, 48, 0), "args", "\"%lx\", REC->args[0]", LARGE },
	{ "raw_syscalls", FIELD("long ret", 8, 8, 1), "ret", "\"%ld\", REC->ret", LARGE },
	{ "raw_syscalls", FIELD("long id", 8, 8, 1), "id", "\"%ld\", REC->id", NEVER },
	{ "syscalls", FIELD("unsigned long len", 8, 8, 0), "len", "\"0x%08lx\", ((unsigned long)(REC->len))", LARGE },
	{ "syscalls", FIELD("unsigned long addr", 8, 8, 0), "addr", "\"\"", ALWAYS },
	{ "syscalls", FIELD("int fd", 8, 8, 1), "fd", "\"\"", NEVER },
	{ "ftrace", FIELD("unsigned long retval", 8, 8, 0), "retval", "\"\"", LARGE },
	/* all others */
	{ "sched", FIELD("u64 runtime", 8, 8, 0), "runtime", "\"%llu\", REC->runtime", KERNEL },
	{ "probes", FIELD("u64 arg1", 8, 8, 0), "arg1", "\"%llx\", REC->arg1", KERNEL },
	{ "made", FIELD("unsigned long stack[4]", 8, 32, 0), "stack", "\"\"", KERNEL },
	{ "sched", FIELD("long prev_state", 8, 8, 1), "prev_state", "\"%ld\", REC->prev_state", NEVER },
	{ "sched", FIELD("char prev_comm[16]", 8, 16, 0), "prev_comm", "\"%s\", REC->prev_comm", NEVER },
	{ "sched", FIELD("pid_t prev_pid", 8, 4, 1), "prev_pid", "\"%d\", REC->prev_pid", NEVER },
	/* a kernel of 32 bits */
	{ "skb", FIELD("void * skbaddr", 8, 4, 0), "skbaddr", "\"\"", ALWAYS },
	{ "made", FIELD("unsigned long ip", 8, 4, 0), "ip", "\"%lx\", REC->ip", ALWAYS },
	{ "made", FIELD("unsigned long pfn", 8, 4, 0), "pfn", "\"%lx\", REC->pfn", NEVER },
	{ "raw_syscalls", FIELD("unsigned long args[6]", 8, 24, 0), "args", "\"%lx\", REC->args[0]", NEVER },
};
/* clang-format on */

static void expect_row(const struct row *row)
{
	struct tw_format *format;
	struct tw_error err = { "" };
	struct tw_print *print;
	char text[2048];

	snprintf(text, sizeof(text), "name: made_up\nID: 300\nformat:\n" COMMON_FIELDS "%s\nprint fmt: %s\n",
		 row->field, row->print);
	if (tw_format__parse(text, strlen(text), row->system, &format, &err))
		fail_msg("%s: %s", row->name, err.text);
	print = tw_print__new(format);
	assert_non_null(print);
	if (tw_pointer_field__min(format, print, tw_format__find(format, row->name)) != leasts[row->expected])
		fail_msg("%s of %s: %lx", row->name, row->system,
			 tw_pointer_field__min(format, print, tw_format__find(format, row->name)));
	tw_print__free(print);
	tw_format__free(format);
}

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_row(&rows[i]);
}

/* Common fields are never addresses. */
static void test_common(void **state)
{
	static const char text[] = EVENT_TEXT("made_up", 300, FIELD("void * p", 8, 8, 0), "print fmt: \"%p\", REC->p");
	struct tw_format *format;

	(void)state;
	assert_int_equal(tw_format__parse(text, strlen(text), "made", &format, NULL), 0);
	for (size_t i = 0; i < format->n_common; i++)
		assert_int_equal(tw_pointer_field__min(format, NULL, &format->fields[i]), 0);
	assert_int_equal(tw_pointer_field__min(format, NULL, tw_format__find(format, "p")), TW_POINTER_MIN);
	tw_format__free(format);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rules), cmocka_unit_test(test_common) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
