/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/formats.h"

#include <stdlib.h>
#include <string.h>

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELD(type_name, offset, size, is_signed) \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const struct {
	const char *system, *text;
} events[] = {
	{ "sched",
	  "name: sched_switch\nID: 316\n" COMMON FIELD("char prev_comm[16]", 8, 16,
						       0) FIELD("pid_t prev_pid", 24, 4,
								1) FIELD("int prev_prio", 28, 4,
									 1) FIELD("long prev_state", 32, 8,
										  1) FIELD("char next_comm[16]", 40, 16,
											   0) FIELD("pid_t next_pid",
												    56, 4, 1)
		  FIELD("int next_prio", 60, 4,
			1) "\nprint fmt: \"prev_comm=%s prev_state=%s\", REC->prev_comm, (REC->prev_state & 0xff) ? "
			   "__print_flags(REC->prev_state & 0xff, \"|\", { 1, \"S\" }, { 2, \"D\" }, { 0x80, \"I\" }) "
			   ": \"R\"\n" },
	{ "sched",
	  "name: sched_wakeup\nID: 318\n" COMMON FIELD("char comm[16]", 8, 16, 0) FIELD("pid_t pid", 24, 4, 1)
		  FIELD("int prio", 28, 4, 1)
			  FIELD("int target_cpu", 32, 4, 1) "\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n" },
	{ "irq",
	  "name: softirq_raise\nID: 125\n" COMMON FIELD(
		  "unsigned int vec", 8, 4,
		  0) "\nprint fmt: \"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" }, "
		     "{ 2, \"NET_TX\" }, { 3, \"NET_RX\" })\n" },
	{ "irq", "name: irq_handler_entry\nID: 128\n" COMMON FIELD("int irq", 8, 4, 1)
			 FIELD("__data_loc char[] name", 12, 4,
			       0) "\nprint fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n" },
	{ "kmem",
	  "name: kmalloc\nID: 442\n" COMMON FIELD("unsigned long call_site", 8, 8,
						  0) FIELD("const void * ptr", 16, 8, 0) FIELD("size_t bytes_req", 24,
											       8, 0)
		  FIELD("unsigned long gfp_flags", 32, 8,
			0) "\nprint fmt: \"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", {0x20, \"GFP_HIGH\"}, "
			   "{0x100, \"GFP_ZERO\"}, {0x400, \"GFP_IO\"}) : \"none\"\n" },
	{ "sock",
	  "name: inet_sock_set_state\nID: 1504\n" COMMON FIELD("__u16 sport", 8, 2, 0) FIELD("__u8 saddr[4]", 10, 4, 0)
		  FIELD("__u8 saddr_v6[16]", 14, 16, 0) FIELD("__be32 gateway", 32, 4, 0)
			  FIELD("u8 mac[6]", 36, 6, 0) "\nprint fmt: \"sport=%u\", REC->sport\n" },
	{ "vendor-bus", "name: tiny\nID: 2000\n" COMMON FIELD("u8 size", 8, 1, 0) FIELD("s8 change", 9, 1, 1)
				FIELD("u32 levels[4]", 12, 16, 0) FIELD("bool on", 28, 1,
									0) FIELD("__data_loc cpumask_t cpus", 32, 4, 0)
					FIELD("char tag[8]", 36, 8, 0) "\nprint fmt: \"size=%u\", REC->size\n" },
	{ "vendor-map", "name: relative\nID: 2010\n" COMMON FIELD("int line", 8, 4, 1)
				FIELD("__rel_loc char[] label", 12, 4, 0) "\nprint fmt: \"line=%d\", REC->line\n" },
	{ "vendor-bus", "name: large\nID: 2001\n" COMMON FIELD("u64 size", 8, 8, 0)
				FIELD("s64 change", 16, 8, 1) "\nprint fmt: \"size=%llu\", REC->size\n" },
};

struct tw_schema *formats__schema(void)
{
	struct tw_schema *schema = tw_schema__new();
	struct tw_error err;

	for (size_t i = 0; schema && i < sizeof(events) / sizeof(events[0]); i++) {
		if (tw_schema__add(schema, events[i].system, events[i].text, strlen(events[i].text), NULL, &err))
			abort();
	}
	return schema;
}

struct tw_schema *formats;

int formats__set_up(void **state)
{
	(void)state;
	formats = formats__schema();
	return formats ? 0 : -1;
}

int formats__tear_down(void **state)
{
	(void)state;
	tw_schema__free(formats);
	return 0;
}

void formats__print(FILE *file)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		fprintf(file, "system: %s\n%s", events[i].system, events[i].text);
}
