/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_seeds DIR: seeds of fuzz_print: a print fmt for each construct, and texts for bprint. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RECORD_LEN 96

static const char *const print_fmts[] = {
	"\"%d %u %x %#o %c\", REC->i, REC->u, REC->half, REC->small, REC->i",
	"\"%-8s|%08lld|%+.3d|%*d|%%\", REC->comm, REC->wide, REC->i, REC->small, REC->u",
	"\"%s\", __get_str(name)",
	"\"%s\", (char *)((void *)REC + (REC->__data_loc_name & 0xffff))",
	"\"%s\", __print_symbolic(REC->i, { 1, \"one\" }, { 2, \"two\" }, { -5, \"minus\" })",
	"\"%s\", __print_flags(REC->u, \"|\", { 1, \"A\" }, { 2UL, \"B\" }, { (1 << 4), \"C\" })",
	"\"%s\", REC->i ? __print_flags_u64(REC->wide, \"\", { 0x10ULL, \"x\" }) : \"none\"",
	"\"%s %s\", __print_hex(REC->mac, 6), __print_hex_str(REC->mac, sizeof(REC->mac))",
	"\"%s\", __print_array(__get_rel_dynamic_array(list), __get_rel_dynamic_array_len(list) / 2, 2)",
	"\"%s\", __print_dynamic_array(name, 1)",
	"\"%s\", __print_hex_dump(\"p: \", 2, 16, 1, REC->mac, 6, 1)",
	"\"%llu.%06lu\", __print_ns_to_secs(REC->wide), __print_ns_without_secs(REC->wide)",
	"\"%s %s\", __get_bitmask(mask), __get_cpumask(mask)",
	"\"%pS %ps %pF %px %pK %p\", (void *)REC->ip, (void *)REC->ip, (void *)REC->ip, REC->ip, REC->ip, REC->ip",
	"\"%pI4 %pI6c %pM %pU %pISpc %*ph\", REC->mac, REC->comm, REC->mac, REC->comm, __get_sockaddr(name), 6, REC->mac",
	"\"%d\", (REC->i + 1) * 2 - ~REC->u / (REC->half % 7) << 3 >> 1 & 0xff | 1 ^ 2",
	"\"%d\", REC->i > 1 && !REC->u || REC->half <= 3 ? (u8)REC->wide : (REC->mac[2] == 1)",
	"\"%lx %d\", (unsigned long)__builtin_expect(!!(REC->i), 0), (int)sizeof(struct tm)",
	"\"a\" \"\\n\\t\\\"\\x41\" \"%s\", ({ \"x\"; })",
	"\"%s\", ((((((((REC->name))))))))",
	/* Found by fuzzing. */
	"\"%d\", (1]",
	"\"%d\", \xe1",
};

/* Strings of printk_formats, for the address in the records of the seeds. */
static const char *const texts[] = { "%s %d %llx\\n", "%pS %-8.3s %*d %c", "\\\"%hhu %zu\\x20%%" };

static int write_seed(const char *folder, const char *name, int which, int flags, const char *text)
{
	uint8_t record[RECORD_LEN] = { 7, [4] = 42, [8] = 0xfb, 0xff, 0xff, 0xff, 0x13, [16] = 0x10, [18] = 0x01 };
	char path[4096];
	FILE *f;

	memcpy(record + 20, "\x40\0\x06\0", 4);
	memcpy(record + 32,
	       "\x10\0\0\x81\xff\xff\xff\xff"
	       "comm\0xyz"
	       "\x02\0\x5e\x10\xff\x01",
	       22);
	memcpy(record + 56,
	       "\x0c\0\x04\0"
	       "\x50\0\x08\0"
	       "eth0\0?\0\0",
	       16);
	if (which) /* for bprint: an address and arguments; for other events, some values */
		memcpy(record + 16,
		       "\x10\0\0\x81\xff\xff\xff\xff"
		       "text\0\0\0\0",
		       16);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	fputc(which, f);
	fputc(flags, f);
	fputc(RECORD_LEN, f);
	fwrite(record, 1, sizeof(record), f);
	fputs(text, f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	char name[32];
	int err = argc != 2;

	for (int i = 0; !err && i < (int)(sizeof(print_fmts) / sizeof(*print_fmts)); i++) {
		snprintf(name, sizeof(name), "print-%d", i);
		err = write_seed(argv[1], name, 0, 4, print_fmts[i]);
	}
	for (int i = 0; !err && i < 18; i++) {
		snprintf(name, sizeof(name), "ftrace-%d", i);
		err = write_seed(argv[1], name, 1 + i % 6, 4, texts[i / 6]);
	}
	return err ? 1 : 0;
}
