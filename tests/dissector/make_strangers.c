/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture in which every text has bytes that must be escaped on a terminal, in JSON and in XML. base/printable.h has the rules. */
#include <string.h>

#include "base/bytes.h"
#include "tests/dissector/sample.h"

#define T0   7000000000000u /* time of the first event, ns */
#define EVIL 0xffffffff81c00000u
#define TASK 666

/*
 * ESC, DEL, C1 in eight bits and as UTF-8, U+202E, a surrogate, an overlong form, U+FFFF, half a character; and the characters that JSON
 * and XML quote.
 */
#define BYTES "\x1b[31m\x07\x7f\x9b\xc2\x9b\xe2\x80\xae\xed\xa0\x80\xc0\xaf\xef\xbf\xbf\\\"<&>\xe2\x82"
/* Similar bytes for the name of a field. It has no blanks and brackets, because they would end the name. */
#define NAME "\x1b\x07\x7f\x9b\xc2\x9b\xe2\x80\xae\xed\xa0\x80\xef\xbf\xbf\xe2\x82"
/* The same bytes with line breaks and tabs. */
#define LINES "a\nb\rc\td" BYTES "\n\n"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELDS                                                        \
	"\tfield:u32 level" NAME ";\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 flags;\toffset:12;\tsize:4;\tsigned:0;\n"        \
	"\tfield:void * where;\toffset:16;\tsize:8;\tsigned:0;\n"     \
	"\tfield:char text[64];\toffset:24;\tsize:64;\tsigned:0;\n"   \
	"\tfield:__data_loc char[] name;\toffset:88;\tsize:4;\tsigned:0;\n\n"

static char all[] = "name: evil" BYTES "\nID: 30\n" COMMON FIELDS "print fmt: \"lit" BYTES
		    "\\n\\t%s|%-70s|%.3s %c %s %s %pS\", REC->text, REC->text, __get_str(name), 0x1b, "
		    "__print_symbolic(REC->flags, { 3, \"wo\nrd" BYTES "\" }), "
		    "__print_flags(REC->flags, \"" BYTES "\", { 1, \"one" BYTES "\" }, { 2, \"two\" }), REC->where\n";
static char no_print[] = "name: none" BYTES "\nID: 31\n" COMMON FIELDS "print fmt: \"%s\", evil" BYTES "(REC->text)\n";
static char refused[] = "name: refused" BYTES "\nID: 32\n" COMMON "\tfield:" BYTES "\n\n";

static struct text texts[5];
enum { ALL, NO_PRINT, REFUSED, MARKER, STACK, N_TEXTS };

static void put_host(struct sample *s)
{
	static const uint16_t attrs[] = { TW_HOST_NAME,    TW_HOST_INSTANCE, TW_HOST_RELEASE,  TW_HOST_MACHINE,
					  TW_HOST_OS,      TW_HOST_CLOCK,    TW_HOST_EVENTS,   TW_HOST_FILTER,
					  TW_HOST_VERSION, TW_HOST_BOOT_ID,  TW_HOST_POINTERS, TW_HOST_SYNC };
	struct tw_attr_view views[sizeof(attrs) / sizeof(attrs[0])];

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		views[i] = (struct tw_attr_view){ attrs[i], (const uint8_t *)"ho" LINES, strlen("ho" LINES) };
	sample__control(s);
	tw_host__emit(&s->frame, views, sizeof(attrs) / sizeof(attrs[0]));
	sample__end(s);
}

static void put(struct sample *s, struct sample_record *r, uint64_t time)
{
	sample__cpu(s, 0, time);
	sample__event(s, r, time);
	sample__end(s);
}

static void put_evil(struct sample *s, uint16_t id, uint64_t time)
{
	static const char text[64] = LINES, name[] = LINES;
	static struct sample_record r;

	record__begin(&r, id, TASK, false);
	record__u32(&r, 3);
	record__u32(&r, 3);
	record__u64(&r, EVIL + 1);
	record__bytes(&r, text, sizeof(text));
	record__u32(&r, (uint32_t)sizeof(name) << 16 | 92);
	record__bytes(&r, name, sizeof(name));
	put(s, &r, time);
}

/* An event as the kernel makes it for a text that is written to trace_marker. A line break may end the text. */
static void put_marker(struct sample *s, const char *text, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, texts[MARKER].id, TASK, false);
	record__u64(&r, EVIL);
	record__bytes(&r, text, (uint32_t)strlen(text) + 1);
	put(s, &r, time);
}

static void put_stack(struct sample *s, uint64_t time)
{
	static struct sample_record r;

	record__begin(&r, texts[STACK].id, TASK, false);
	record__u32(&r, 2);
	record__u32(&r, 0);
	record__u64(&r, EVIL);
	record__u64(&r, EVIL + 8);
	put(s, &r, time);
}

void make_strangers(const char *formats, const char *out)
{
	static struct sample s;

	texts[ALL] = (struct text){ 30, "sys" BYTES, all, sizeof(all) - 1 };
	texts[NO_PRINT] = (struct text){ 31, "sys" BYTES, no_print, sizeof(no_print) - 1 };
	texts[REFUSED] = (struct text){ 32, "sys" BYTES, refused, sizeof(refused) - 1 };
	text__read(&texts[MARKER], formats, "ftrace", "print");
	text__read(&texts[STACK], formats, "ftrace", "kernel_stack");
	sample__open(&s, out, "strangers.pcap");
	s.info.schema_id = texts__hash(texts, N_TEXTS, false, 8);
	put_host(&s);
	sample__schema(&s, texts, N_TEXTS);
	sample__comm(&s, TASK, 0, "co" LINES);
	sample__symbol(&s, EVIL, 0x100, "sy" LINES);
	put_evil(&s, 30, T0);
	put_evil(&s, 31, T0 + 1000);
	put_evil(&s, 32, T0 + 2000);
	put_marker(&s, "marker\n", T0 + 3000);
	put_marker(&s, LINES, T0 + 4000);
	put_stack(&s, T0 + 5000);
	sample__close(&s);
}
