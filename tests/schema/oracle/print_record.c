/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "print_record.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_LENGTH 24 /* maximum length of a generated string, bytes */

#define PRINTKS     0xffffffff82000000 /* address of the texts of trace_printk() ... */
#define PRINTK_SIZE 64                 /* ... and the size of each */
#define STACK       8                  /* number of callers in the print fmt of a stack */

/* The texts, and the sizes of their arguments as the kernel packs them, bytes; s is a string. */
static const struct {
	const char *text, *arguments;
} printks[] = {
	{ "plain", "" },
	{ "%d %u %x|%5d\\n", "4444" },
	{ "%s|%8s|%s %d\\n", "sss4" },
	{ "%ld %lu %lx %lld %llu %llx\\n", "888888" },
	{ "%d %s %ld 100%%\\n", "4s8" },
};

#define N_PRINTKS (sizeof(printks) / sizeof(printks[0]))

const char *print_record__printk(size_t i, uint64_t *ret_address)
{
	*ret_address = PRINTKS + i * PRINTK_SIZE;
	return i < N_PRINTKS ? printks[i].text : NULL;
}

static uint64_t any(void)
{
	return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
}

/* A value that is typical of kernels, never negative: a value with a name, a small or large number, the address of a function, all bits. */
static uint64_t any_value(const struct tw_field *field, const struct tw_print *print, int round)
{
	struct tw_print_names names;

	if (field->kind == TW_FIELD_BOOL)
		return (uint64_t)rand() % 2;
	if (round % 3 == 0 && tw_print__names(print, field, &names))
		return names.names[(uint32_t)rand() % names.n].value;
	switch (round % 6) {
	case 0:
		return (uint64_t)rand() % 4;
	case 1:
		return (uint64_t)rand() % 100;
	case 2:
		return field->size >= 8 ? PRINT_RECORD_KERNEL + (uint64_t)rand() % (PRINT_RECORD_FUNCTIONS << 12)
					: any() & 0x7f;
	case 3:
		return any() >> (1 + 8 * (8 - (field->size ? field->size : 1)));
	case 4:
		return field->is_signed ? 1 : UINT64_MAX;
	default:
		return any() & 0x7fff;
	}
}

static void store(uint8_t *p, uint64_t value, uint32_t size)
{
	memcpy(p, &value, size); /* the test runs on little-endian hosts */
}

static void make_text(uint8_t *p, uint32_t size)
{
	const uint32_t len = size ? (uint32_t)rand() % size : 0;

	for (uint32_t i = 0; i < size; i++)
		p[i] = i < len ? (uint8_t)("abcxyz019_-/."[rand() % 13]) : 0;
}

static uint32_t make_dynamic(const struct tw_field *field, uint8_t *record, uint32_t len)
{
	const uint32_t unit = field->elem_size && field->elem_size <= 8 ? field->elem_size : 1;
	const uint32_t size = field->kind == TW_FIELD_STRING ? TEXT_LENGTH : 8 * unit * ((uint32_t)rand() % 4);
	const uint32_t offset = field->place == TW_PLACE_REL_LOC ? len - field->offset - 4 : len;

	store(record + field->offset, size << 16 | offset, 4);
	for (uint32_t i = 0; i < size; i++)
		record[len + i] = (uint8_t)rand();
	if (field->kind == TW_FIELD_STRING)
		make_text(record + len, size);
	return len + size;
}

static void store_named(const struct tw_format *format, const char *name, uint64_t value, uint8_t *record)
{
	const struct tw_field *field = tw_format__find(format, name);

	if (field)
		store(record + field->offset, value, field->size);
}

/* Writes the arguments of a trace_printk() from @at on. Return: their end */
static uint32_t make_arguments(const char *sizes, uint8_t *record, uint32_t at)
{
	for (; *sizes; sizes++) {
		if (*sizes == 's') {
			make_text(record + at, TEXT_LENGTH);
			at += (uint32_t)strlen((char *)record + at) + 1;
			continue;
		}
		at = (at + 3) / 4 * 4; /* arguments of 8 bytes are aligned to 4 bytes, too */
		store(record + at, any() & 0x7fffffff, (uint32_t)(*sizes - '0'));
		at += (uint32_t)(*sizes - '0');
	}
	return at;
}

/* Writes the content of ftrace events that their formats do not describe. Return: length of the record */
static uint32_t make_ftrace(const struct tw_format *format, int round, uint8_t *record, uint32_t len)
{
	const size_t printk = (size_t)round % N_PRINTKS;
	const struct tw_field *callers = tw_format__find(format, "caller");
	const struct tw_field *arguments = tw_format__find(format, "args");

	store_named(format, "fmt", PRINTKS + printk * PRINTK_SIZE, record);
	store_named(format, "str", PRINTKS, record);
	store_named(format, "size", STACK, record);
	for (uint32_t i = 0; callers && i < STACK; i++)
		store(record + callers->offset + i * callers->elem_size,
		      PRINT_RECORD_KERNEL + any() % (PRINT_RECORD_FUNCTIONS << 12), callers->elem_size);
	if (callers)
		return callers->offset + STACK * callers->elem_size;
	if (arguments)
		return arguments
			->offset; /* no arguments, because libtraceevent does not print arguments of functions */
	return strcmp(format->name, "bprint") ? len : make_arguments(printks[printk].arguments, record, 24);
}

uint32_t print_record__make(const struct tw_format *format, const struct tw_print *print, int round, uint8_t *record)
{
	uint32_t len = 8;

	memset(record, 0, PRINT_RECORD_SIZE);
	for (uint16_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *f = &format->fields[i];

		if (f->offset + f->size > len)
			len = f->offset + f->size;
	}
	len = (len + 7) / 8 * 8;
	for (uint16_t i = 0; i < format->n_fields; i++) {
		const struct tw_field *f = &format->fields[i];

		if (f->place == TW_PLACE_REST) {
			make_text(record + f->offset, TEXT_LENGTH);
			len = f->offset + TEXT_LENGTH;
		} else if (f->place != TW_PLACE_FIXED) {
			len = make_dynamic(f, record, len);
		} else if (f->kind == TW_FIELD_STRING) {
			make_text(record + f->offset, f->size);
		} else if (f->kind >= TW_FIELD_STRING) {
			for (uint32_t k = 0; k < f->size; k++)
				record[f->offset + k] = (uint8_t)(round % 2 ? rand() : rand() % 4);
		} else {
			store(record + f->offset, any_value(f, print, round), f->size);
		}
	}
	if (!strcmp(format->system, "ftrace"))
		len = make_ftrace(format, round, record, len);
	store(record, format->id, 2);
	return len;
}
