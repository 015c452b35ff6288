/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the metadata that versions 6 and 7 of the file have: format texts, kallsyms and similar texts, options. */
#include "pcap-tools/tracedat/tracedat_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Conversion of time stamps in rings to times of events. */

#define INTERPOLATE 1u /* bit in the flags of a TIME_SHIFT */
#define TSC_LEN     16 /* bytes of a TSC2NSEC */

static int cpu__load(struct tw_dat_samples *cpu, struct tw_dat_cursor *c, uint32_t *total)
{
	const uint32_t n = tw_dat_cursor__u32(c);

	if (c->failed || n > (c->end - c->at) / (3 * sizeof(uint64_t)) || n > TW_TRACEDAT_SAMPLES_MAX - *total)
		return -EBADMSG;
	if (!n)
		return 0;
	cpu->samples = calloc(n, sizeof(*cpu->samples));
	if (!cpu->samples)
		return -ENOMEM;
	cpu->n = n;
	*total += n;
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].time = tw_dat_cursor__u64(c);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].offset = (int64_t)tw_dat_cursor__u64(c);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].scaling = tw_dat_cursor__u64(c);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct tw_dat_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void cpu__settle(struct tw_dat_samples *cpu)
{
	uint32_t n = 0;

	if (!cpu->n)
		return;
	qsort(cpu->samples, cpu->n, sizeof(*cpu->samples), by_time);
	for (uint32_t i = 0; i < cpu->n; i++)
		if (!n || cpu->samples[i].time != cpu->samples[n - 1].time)
			cpu->samples[n++] = cpu->samples[i];
	cpu->n = n;
}

static void dat_clock__free(struct tw_dat_clock *clock)
{
	for (uint32_t i = 0; i < clock->n_cpus; i++)
		free(clock->cpus[i].samples);
	free(clock->cpus);
	clock->cpus = NULL;
	clock->n_cpus = 0;
}

/* Reads a TIME_SHIFT option. Return: 0; -EBADMSG if it is truncated, is not the first one, or has too many CPUs or samples; -ENOMEM */
static int dat_clock__shift(struct tw_dat_clock *clock, struct tw_dat_cursor *option)
{
	uint32_t flags, n, total = 0;
	int err = 0;

	tw_dat_cursor__u64(option); /* the peer's trace id */
	flags = tw_dat_cursor__u32(option);
	n = tw_dat_cursor__u32(option);
	if (option->failed || clock->cpus || n > TW_TRACEDAT_CPUS_MAX ||
	    n > (option->end - option->at) / sizeof(uint32_t))
		return -EBADMSG;
	if (!n)
		return 0;
	clock->cpus = calloc(n, sizeof(*clock->cpus));
	if (!clock->cpus)
		return -ENOMEM;
	clock->n_cpus = n;
	clock->interpolate = flags & INTERPOLATE;
	for (uint32_t i = 0; i < n && !err; i++)
		err = cpu__load(&clock->cpus[i], option, &total);
	if (err) {
		dat_clock__free(clock); /* either the times of all CPUs are corrected, or none */
		return err;
	}
	/* Older writers omitted the fractions, which are then read as 0. */
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < clock->cpus[i].n; k++)
			clock->cpus[i].samples[k].fraction = tw_dat_cursor__u64(option);
		cpu__settle(&clock->cpus[i]);
	}
	return 0;
}

static int dat_clock__tsc(struct tw_dat_clock *clock, struct tw_dat_cursor *option)
{
	const uint32_t mult = tw_dat_cursor__u32(option), shift = tw_dat_cursor__u32(option);

	if (option->end < TSC_LEN || shift > 63)
		return -EBADMSG;
	clock->mult = mult;
	clock->shift = shift;
	return 0;
}

/*
 * Finds the last sample that is not newer than @stamp, or the first sample if all are newer. The last of all samples is never returned,
 * because sample__apply() also uses the sample after it.
 */
static const struct tw_dat_sample *samples__find(const struct tw_dat_samples *s, uint64_t stamp)
{
	uint32_t low = 0, high = s->n - 1;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (s->samples[middle].time <= stamp)
			low = middle;
		else
			high = middle;
	}
	return &s->samples[low];
}

/*
 * Applies a sample to a time stamp. Arithmetic is modulo 2^64 except for the interpolation, which is signed with 128 bits: a hostile
 * table gives wrong times, but no undefined behaviour.
 */
static uint64_t sample__apply(const struct tw_dat_sample *s, bool interpolate, uint64_t stamp)
{
	const unsigned int fraction = s->fraction & 63;
	uint64_t offset = (uint64_t)s->offset;

	if (interpolate) {
		const __int128 delta = (__int128)s[1].time - s->time;
		const __int128 slope = (__int128)((int64_t)((uint64_t)s[1].offset - offset));
		const __int128 along = (__int128)((int64_t)(stamp - s->time)) * slope;

		offset += (uint64_t)((along + delta / 2) / delta);
	}
	return (uint64_t)(((unsigned __int128)stamp * s->scaling) >> fraction) + offset;
}

uint64_t tw_dat_clock__correct(const struct tw_dat_clock *clock, uint32_t cpu, uint64_t stamp)
{
	const struct tw_dat_samples *s = cpu < clock->n_cpus ? &clock->cpus[cpu] : NULL;

	if (s && s->n > 1)
		stamp = sample__apply(samples__find(s, stamp), clock->interpolate, stamp);
	else if (s && s->n)
		stamp += (uint64_t)s->samples[0].offset;
	if (clock->mult)
		stamp = (uint64_t)(((unsigned __int128)stamp * clock->mult) >> clock->shift);
	return stamp;
}

#define NS_PER_US 1000u

/* Counts damage if reading failed. @err: result of reading; @what: name of what was read. Return: 0, -EBADMSG, -ENOMEM */
static int done(struct tw_dat_cursor *c, int err, const char *what)
{
	if (err == -ENOMEM)
		return err;
	if (err || c->failed)
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "%s cannot be read to its end", what);
	return 0;
}

/* Reads a name, which must be @name, and the text after it. */
static int header(struct tw_dat_cursor *c, const char *name, struct tw_tracedat_bytes *ret)
{
	char is[16];

	if (ret->data || !tw_dat_cursor__string(c, is, sizeof(is)) || strcmp(is, name))
		return -EBADMSG;
	return tw_dat_cursor__bytes(c, tw_dat_cursor__u64(c), TW_TRACEDAT_TEXT_MAX, ret);
}

static int read_headers(struct tw_dat_cursor *c)
{
	struct tw_tracedat_info *info = &c->dat->info;
	struct tw_ring_layout *layout = &c->dat->layout;
	struct tw_error why;
	int err = header(c, "header_page", &info->header_page);

	if (!err)
		err = header(c, "header_event", &info->header_event);
	if (err)
		return done(c, err, "the layout of its rings (header_page, header_event)");
	if (tw_page_layout__parse(info->header_page.data, info->header_page.len, &layout->page, &why) ||
	    tw_entry_layout__parse(info->header_event.data, info->header_event.len, &layout->entry, &why))
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c), "%s", why.text);
	if (layout->page.commit_offset != sizeof(uint64_t))
		return tw_dat__damage(c->dat, tw_dat_cursor__offset(c),
				      "the time stamp of its sub-buffers has %u bytes; only 8 are supported",
				      layout->page.commit_offset);
	layout->big_endian = info->big_endian;
	info->long_size = (uint8_t)layout->page.commit_size;
	return 0;
}

static int add_format(struct tw_dat_cursor *c, const char *system)
{
	struct tw_tracedat *dat = c->dat;
	struct tw_tracedat_format *formats = dat->formats;
	struct tw_tracedat_bytes text;
	char *name;
	int err = tw_dat_cursor__bytes(c, tw_dat_cursor__u64(c), TW_TRACEDAT_TEXT_MAX, &text);

	if (err)
		return err;
	dat->bytes += text.len;
	if (dat->info.n_formats == TW_TRACEDAT_TEXTS_MAX || dat->bytes > TW_TRACEDAT_BYTES_MAX) {
		free(text.data);
		return -EBADMSG;
	}
	if (!(dat->info.n_formats & (dat->info.n_formats - 1)))
		formats = realloc(formats, (2 * dat->info.n_formats + 1) * sizeof(*formats));
	name = formats ? strdup(system) : NULL;
	if (formats)
		dat->info.formats = dat->formats = formats;
	if (!name) {
		free(text.data);
		return -ENOMEM;
	}
	formats[dat->info.n_formats++] = (struct tw_tracedat_format){ .system = name, .text = text };
	return 0;
}

static int add_formats(struct tw_dat_cursor *c, const char *system)
{
	const uint32_t n = tw_dat_cursor__u32(c);
	int err = 0;

	for (uint32_t i = 0; i < n && !err && !c->failed; i++)
		err = add_format(c, system);
	return err;
}

static int read_ftrace_formats(struct tw_dat_cursor *c)
{
	return done(c, add_formats(c, "ftrace"), "the list of ftrace's format texts");
}

static int read_event_formats(struct tw_dat_cursor *c)
{
	const uint32_t n = tw_dat_cursor__u32(c);
	char system[TW_TRACEDAT_NAME_MAX + 1];
	int err = 0;

	for (uint32_t i = 0; i < n && !err && !c->failed; i++) {
		if (tw_dat_cursor__string(c, system, sizeof(system)))
			err = add_formats(c, system);
	}
	return done(c, err, "the list of format texts");
}

static int text(struct tw_dat_cursor *c, uint64_t len, struct tw_tracedat_bytes *ret, const char *what)
{
	if (ret->data || !len)
		return done(c, 0, what);
	return done(c, tw_dat_cursor__bytes(c, len, TW_TRACEDAT_SECTION_MAX, ret), what);
}

static int read_kallsyms(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u32(c), &c->dat->info.kallsyms, "the text of kallsyms");
}

static int read_printk(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u32(c), &c->dat->info.printk, "the text of printk_formats");
}

static int read_cmdlines(struct tw_dat_cursor *c)
{
	return text(c, tw_dat_cursor__u64(c), &c->dat->info.cmdlines, "the text of saved_cmdlines");
}

tw_dat_reader *const tw_dat__readers[] = {
	[TW_TRACEDAT_HEADER_INFO] = read_headers,
	[TW_TRACEDAT_FTRACE_EVENTS] = read_ftrace_formats,
	[TW_TRACEDAT_EVENT_FORMATS] = read_event_formats,
	[TW_TRACEDAT_KALLSYMS] = read_kallsyms,
	[TW_TRACEDAT_PRINTK] = read_printk,
	[TW_TRACEDAT_CMDLINES] = read_cmdlines,
};

static void buffer__free(const struct tw_tracedat_buffer *buffer)
{
	free(buffer->name);
	free(buffer->clock);
	free(buffer->places);
}

void tw_dat__free_metadata(struct tw_tracedat *dat)
{
	struct tw_tracedat_info *info = &dat->info;

	free(info->header_page.data);
	free(info->header_event.data);
	free(info->kallsyms.data);
	free(info->printk.data);
	free(info->cmdlines.data);
	for (size_t i = 0; i < info->n_formats; i++) {
		free((char *)(uintptr_t)dat->formats[i].system);
		free(dat->formats[i].text.data);
	}
	free(dat->formats);
	for (size_t i = 0; i < info->n_options; i++)
		free(dat->options[i].value.data);
	free(dat->options);
	for (size_t i = 0; i < info->n_buffers; i++)
		buffer__free(&dat->buffers[i]);
	free(dat->buffers);
	dat_clock__free(&dat->clock);
}

int tw_dat__add_buffer(struct tw_tracedat *dat, const struct tw_tracedat_buffer *buffer)
{
	const size_t n = dat->info.n_buffers, at = buffer->name && *buffer->name ? n : 0;
	struct tw_tracedat_buffer *buffers = realloc(dat->buffers, (n + 1) * sizeof(*buffers));

	if (buffers)
		dat->info.buffers = dat->buffers = buffers;
	if (!buffer->name || !buffers || n == TW_TRACEDAT_BUFFERS_MAX) {
		const int err = buffer->name && buffers ? -EBADMSG : -ENOMEM;

		buffer__free(buffer);
		return err;
	}
	memmove(buffers + at + 1, buffers + at, (n - at) * sizeof(*buffers));
	buffers[at] = *buffer;
	dat->info.n_buffers++;
	return 0;
}

int tw_dat__read_places(struct tw_dat_cursor *c, uint32_t n, bool numbered, struct tw_dat_place **ret)
{
	const uint64_t each = 2 * sizeof(uint64_t) + (numbered ? sizeof(uint32_t) : 0);
	struct tw_dat_place *places;

	if (c->failed || n > TW_TRACEDAT_CPUS_MAX || n > (c->end - c->at) / each)
		return -EBADMSG;
	if (!n)
		return 0;
	places = calloc(n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		places[i].cpu = numbered ? tw_dat_cursor__u32(c) : i;
		places[i].offset = tw_dat_cursor__u64(c);
		places[i].size = tw_dat_cursor__u64(c);
	}
	*ret = places;
	return 0;
}

static int apply_buffer(struct tw_dat_cursor *c)
{
	struct tw_tracedat_buffer buffer = { .page_size = c->dat->info.page_size, .offset = tw_dat_cursor__u64(c) };
	char name[TW_TRACEDAT_NAME_MAX + 1], clock[TW_TRACEDAT_NAME_MAX + 1] = "";
	int err = 0;

	if (c->dat->in_instance || !tw_dat_cursor__string(c, name, sizeof(name)))
		return -EBADMSG;
	if (c->dat->info.version >= 7) {
		if (!tw_dat_cursor__string(c, clock, sizeof(clock)))
			return -EBADMSG;
		buffer.page_size = tw_dat_cursor__u32(c);
		buffer.cpus = tw_dat_cursor__u32(c);
		err = tw_dat__read_places(c, buffer.cpus, true, &buffer.places);
	}
	if (err)
		return err;
	buffer.name = strdup(name);
	buffer.clock = *clock ? strdup(clock) : NULL;
	if (*clock && !buffer.clock) {
		buffer__free(&buffer);
		return -ENOMEM;
	}
	return tw_dat__add_buffer(c->dat, &buffer);
}

/* Parses a number with strtoll(), as trace-cmd does. Return: the number, limited to the range of s64, as a u64 */
static uint64_t number(const struct tw_tracedat_bytes *value)
{
	return (uint64_t)strtoll(value->data, NULL, 0);
}

static int apply_section(struct tw_dat_cursor *c, uint16_t id)
{
	const uint64_t offset = tw_dat_cursor__u64(c);

	if (c->failed)
		return -EBADMSG;
	c->dat->sections[id] = offset;
	return 0;
}

static int apply(struct tw_dat_cursor *c, uint16_t id, const struct tw_tracedat_bytes *value)
{
	struct tw_tracedat *dat = c->dat;

	switch (id) {
	case TW_TRACEDAT_DATE:
		dat->info.dated = true;
		dat->info.time_offset += number(value) * NS_PER_US;
		return 0;
	case TW_TRACEDAT_OFFSET:
		dat->info.time_offset += number(value);
		return 0;
	case TW_TRACEDAT_TIME_SHIFT:
		return dat_clock__shift(&dat->clock, c);
	case TW_TRACEDAT_TSC2NSEC:
		return dat_clock__tsc(&dat->clock, c);
	case TW_TRACEDAT_CPUCOUNT:
		dat->info.cpus = tw_dat_cursor__u32(c);
		return c->failed ? -EBADMSG : 0;
	case TW_TRACEDAT_BUFFER:
		return apply_buffer(c);
	case TW_TRACEDAT_BUFFER_TEXT:
		dat->text_only = true;
		return 0;
	default:
		if (id < TW_TRACEDAT_HEADER_INFO || id > TW_TRACEDAT_CMDLINES || dat->info.version < 7)
			return 0;
		return apply_section(c, id);
	}
}

static int keep(struct tw_tracedat *dat, uint16_t id, const struct tw_tracedat_bytes *value)
{
	struct tw_tracedat_option *options = dat->options;
	const size_t n = dat->info.n_options;

	dat->bytes += value->len;
	if (n == TW_TRACEDAT_OPTIONS_MAX || dat->bytes > TW_TRACEDAT_BYTES_MAX)
		return -EBADMSG;
	if (!(n & (n - 1)))
		options = realloc(options, (2 * n + 1) * sizeof(*options));
	if (!options)
		return -ENOMEM;
	dat->info.options = dat->options = options;
	options[dat->info.n_options++] = (struct tw_tracedat_option){ .id = id, .value = *value };
	return 0;
}

int tw_dat__option(struct tw_dat_cursor *c, uint16_t id)
{
	const uint64_t offset = tw_dat_cursor__offset(c);
	struct tw_tracedat_bytes value;
	struct tw_dat_cursor inner;
	int err = tw_dat_cursor__bytes(c, tw_dat_cursor__u32(c), TW_TRACEDAT_SECTION_MAX, &value);

	if (!err) {
		err = keep(c->dat, id, &value);
		if (err)
			free(value.data);
	}
	if (err == -EBADMSG)
		tw_dat__damage(
			c->dat, offset,
			"an option (number %u) extends beyond its section or the file, or the options exceed a limit",
			id);
	if (err)
		return err;
	inner = (struct tw_dat_cursor){
		.dat = c->dat, .mem = (const uint8_t *)value.data, .end = value.len, .origin = offset
	};
	err = apply(&inner, id, &value);
	if (err == -EBADMSG) {
		tw_dat__damage(c->dat, offset, "an option (number %u) is invalid", id);
		err = 0; /* the next option can be read nevertheless */
	}
	return err;
}
