/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures for the texts of events: value strings, symbols, stacks, and print formats that exceed limits. */
#include <string.h>

#include "stream/limits.h"
#include "tests/dissector/sample.h"

#define T0       5000000000000u /* time of the first event, ns */
#define SCHEDULE 0xffffffff81a00000u
#define TCP_RCV  0xffffffff81b00000u

static struct text real[6]; /* formats of Debian's kernel 6.1 */
enum { RAISE, KMALLOC, KFREE, STACK, USER, SWITCH };

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define LEVEL "\tfield:u32 level;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: "

/* Formats: a value with other names in another kernel (calm, wild), an invalid print fmt (broken), a text that fits in no line (wide). */
static char calm[] = "name: mood\nID: 20\n" COMMON LEVEL
		     "\"level=%s\", __print_symbolic(REC->level, { 1, \"calm\" }, { 2, \"glad\" })\n";
static char wild[] = "name: mood\nID: 20\n" COMMON LEVEL
		     "\"level=%s\", __print_symbolic(REC->level, { 1, \"wild\" }, { 2, \"mad\033[31m\" })\n";
static char broken[] = "name: broken\nID: 21\n" COMMON LEVEL "\"level=%d\", REC->level +\n";
static char wide[] = "name: wide\nID: 22\n" COMMON LEVEL "\"%60000d\", REC->level\n";

static void begin(struct sample *s, const char *out, const char *name, const struct text *texts, uint32_t n)
{
	sample__open(s, out, name);
	s->info.schema_id = texts__hash(texts, n, false, 8);
	sample__host(s, "alpha");
	sample__schema(s, texts, n);
}

static void put(struct sample *s, struct sample_record *r, uint64_t time)
{
	sample__cpu(s, 0, time);
	sample__event(s, r, time);
	sample__end(s);
}

static void put_level(struct sample *s, uint16_t id, uint32_t level, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, id, 42, false);
	record__u32(&r, level);
	put(s, &r, time);
}

static void put_stack(struct sample *s, uint16_t id, uint32_t size, uint32_t n, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, id, 42, false);
	record__u32(&r, size);
	record__u32(&r, 0);
	for (uint32_t i = 0; i < n; i++)
		record__u64(&r, i % 2 ? TCP_RCV + i : SCHEDULE + i);
	put(s, &r, time);
}

static void put_kfree(struct sample *s, uint64_t location, uint32_t reason, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[KFREE].id, 42, false);
	record__u64(&r, 0xffff888012345678);
	record__u64(&r, location);
	record__u16(&r, 2048);
	record__u16(&r, 0);
	record__u32(&r, reason);
	put(s, &r, time);
}

static void put_kmalloc(struct sample *s, uint64_t flags, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[KMALLOC].id, 42, false);
	record__u64(&r, TCP_RCV + 0x12);
	record__u64(&r, 0xffff888000000010);
	record__u64(&r, 100);
	record__u64(&r, 128);
	record__u64(&r, flags);
	record__u32(&r, (uint32_t)-1);
	put(s, &r, time);
}

static void make_symbols(const char *out)
{
	static struct sample s;

	begin(&s, out, "symbols.pcap", real, 6);
	sample__symbol(&s, SCHEDULE, 0x100, "schedule");
	put_stack(&s, real[STACK].id, 10, 10, T0);
	put_stack(&s, real[STACK].id, 3, 3, T0 + 1);
	put_stack(&s, real[USER].id, 42, 2, T0 + 2);
	put_kfree(&s, SCHEDULE + 0x1f, 3, T0 + 3);
	put_kmalloc(&s, 0xcc0 | 0x100, T0 + 4);
	/* A symbol follows the events that need it. */
	sample__symbol(&s, TCP_RCV, 0x100, "tcp_v4_rcv");
	put_kmalloc(&s, 0, T0 + 5);
	sample__close(&s);
}

static void put_raise(struct sample *s, uint32_t vec, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[RAISE].id, 42, false);
	record__u32(&r, vec);
	put(s, &r, time);
}

static void put_switch(struct sample *s, uint64_t prev_state, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, real[SWITCH].id, 42, false);
	record__bytes(&r, "bash\0\0\0\0\0\0\0\0\0\0\0", 16);
	record__u32(&r, 42);
	record__u32(&r, 120);
	record__u64(&r, prev_state);
	record__bytes(&r, "sleep\0\0\0\0\0\0\0\0\0\0", 16);
	record__u32(&r, 77);
	record__u32(&r, 110);
	put(s, &r, time);
}

static void make_value_strings(const char *out)
{
	static struct sample s;
	const struct text first = { 20, "toy", calm, sizeof(calm) - 1 }, second = { 20, "toy", wild, sizeof(wild) - 1 };

	begin(&s, out, "value-strings.pcap", real, 6);
	put_raise(&s, 3, T0);
	put_raise(&s, 8, T0 + 1);
	put_raise(&s, 77, T0 + 2);
	put_kfree(&s, 0x1000, 6, T0 + 3);
	put_switch(&s, 1, T0 + 4);
	put_switch(&s, 0, T0 + 4);
	put_switch(&s, 2, T0 + 4);
	put_switch(&s, 0x100, T0 + 4);
	s.info.schema_id = texts__hash(&first, 1, false, 8);
	sample__schema(&s, &first, 1);
	put_level(&s, 20, 1, T0 + 4);
	s.info.schema_id = texts__hash(&second, 1, false, 8);
	sample__schema(&s, &second, 1);
	put_level(&s, 20, 1, T0 + 5);
	put_level(&s, 20, 2, T0 + 6);
	sample__close(&s);
}

/* An event whose print fmt is refused, then 3000 events with the widest text in one frame. */
static void make_refused(const char *out)
{
	static struct sample s;
	static struct sample_record r;
	const struct text texts[] = { { 21, "toy", broken, sizeof(broken) - 1 },
				      { 22, "toy", wide, sizeof(wide) - 1 } };

	begin(&s, out, "refused.pcap", texts, 2);
	put_level(&s, 21, 7, T0);
	record__begin(&r, 22, 42, false);
	record__u32(&r, 1);
	sample__cpu(&s, 0, T0 + 1);
	for (int i = 0; i < 3000; i++)
		sample__event(&s, &r, T0 + 1);
	sample__end(&s);
	sample__close(&s);
}

/* Each event has a schema of its own. There is one schema more than the limit. */
static void make_schemas(const char *out)
{
	static struct sample s;

	sample__open(&s, out, "schemas.pcap");
	for (uint32_t i = 0; i <= TW_STREAM_SCHEMAS_MAX; i++) {
		s.info.schema_id = 1 + i;
		put_level(&s, 20, 1, T0 + i);
	}
	sample__close(&s);
}

void make_texts(const char *formats, const char *out)
{
	text__read(&real[RAISE], formats, "irq", "softirq_raise");
	text__read(&real[KMALLOC], formats, "kmem", "kmalloc");
	text__read(&real[KFREE], formats, "skb", "kfree_skb");
	text__read(&real[STACK], formats, "ftrace", "kernel_stack");
	text__read(&real[USER], formats, "ftrace", "user_stack");
	text__read(&real[SWITCH], formats, "sched", "sched_switch");
	make_symbols(out);
	make_value_strings(out);
	make_refused(out);
	make_schemas(out);
}
