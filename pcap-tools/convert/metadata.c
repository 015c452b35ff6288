/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the metadata of a conversion to control frames: HOST, CLOCK, SCHEMA and COMM once, each SYMBOL when an event needs it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pcap-tools/convert/convert_impl.h"
#include "schema/schema.h"
#include "schema/sha256.h"
#include "stream/identity.h"
#include "wire/schema_text.h"

#define FILE_BUFFER   ((size_t)1 << 20)
#define HOST_ATTRS    12
#define DATE_ERROR_NS 1000 /* the unit of DATE is a microsecond */
#define PID_MAX       4194304u
#define GATHER_LEN    8192       /* bytes; a control frame of at least this size gets no further record */
#define ADDRESSES_MAX (4u << 20) /* limit of the addresses in a set; a full set is emptied */

/* A format text of the file. */
struct text {
	struct tw_schema_source source;
	size_t age; /* position in the file: the order of texts with equal kind and id */
};

struct texts {
	struct text *list;
	size_t n;
};

static void add(struct texts *all, enum tw_schema_kind kind, uint16_t id, const char *system, char *text, size_t len)
{
	all->list[all->n] = (struct text){ { kind, id, { .system = system, .text = text, .len = len } }, all->n };
	all->n++;
}

/* For qsort(): header_page, header_event, events by id, printk_formats. The schema id is a hash of the texts in this order. */
static int order(const void *a, const void *b)
{
	static const int ranks[] = {
		[TW_SCHEMA_HEADER_PAGE] = 0,
		[TW_SCHEMA_HEADER_EVENT] = 1,
		[TW_SCHEMA_EVENT] = 2,
		[TW_SCHEMA_PRINTK] = 3,
	};
	const struct text *x = a, *y = b;

	if (x->source.kind != y->source.kind)
		return ranks[x->source.kind] - ranks[y->source.kind];
	if (x->source.event_id != y->source.event_id)
		return x->source.event_id < y->source.event_id ? -1 : 1;
	return x->age < y->age ? -1 : 1;
}

/* The event id in a text that is not a valid format; 0 if there is none. */
static uint16_t bare_id(const struct tw_tracedat_bytes *text)
{
	const char *line = strstr(text->data, "\nID: ");
	unsigned int id;

	return line && sscanf(line, "\nID: %5u", &id) == 1 && id <= UINT16_MAX ? (uint16_t)id : 0;
}

static int add_formats(struct tw_convert *c, struct texts *all)
{
	for (size_t i = 0; i < c->info->n_formats; i++) {
		const struct tw_tracedat_format *f = &c->info->formats[i];
		const struct tw_format *format;
		uint16_t id;
		const int err = tw_schema__add(c->schema, f->system, f->text.data, f->text.len, &format, NULL);

		if (err == -ENOMEM)
			return err;
		c->stats.refused_formats += err != 0;
		id = err ? bare_id(&f->text) : format->id;
		add(all, TW_SCHEMA_EVENT, id, f->system, f->text.data, f->text.len);
	}
	return 0;
}

/* Length of the first piece of a text: a text longer than a SCHEMA allows is cut between two lines if possible. */
static size_t piece(const char *text, size_t len)
{
	if (len <= TW_SCHEMA_TEXT_MAX)
		return len;
	for (len = TW_SCHEMA_TEXT_MAX; len && text[len - 1] != '\n';)
		len--;
	return len ? len : TW_SCHEMA_TEXT_MAX;
}

static size_t count_pieces(const struct tw_tracedat_bytes *text)
{
	size_t n = 0;

	for (size_t at = 0; at < text->len; at += piece(text->data + at, text->len - at))
		n++;
	return n;
}

/* Hashes and compresses all texts, in their order. */
static int make_records(struct tw_convert *c, const struct texts *all, struct tw_error *error)
{
	struct tw_schema_source *sources = calloc(all->n, sizeof(*sources));
	struct tw_schema_hash hash;
	int err;

	if (!sources)
		return -ENOMEM;
	tw_schema_hash__init(&hash, c->info->big_endian, c->info->long_size);
	for (size_t i = 0; i < all->n; i++) {
		sources[i] = all->list[i].source;
		tw_schema_hash__text(&hash, sources[i].text.system, sources[i].text.text, sources[i].text.len);
	}
	c->schema_id = tw_schema_hash__fini(&hash);
	err = tw_schema_records__make(sources, all->n, &c->texts, error);
	free(sources);
	return err;
}

/* The words of the UNAME option, "Linux HOST RELEASE MACHINE". */
static const enum tw_host_attr uname_attrs[] = { TW_HOST_OS, TW_HOST_NAME, TW_HOST_RELEASE, TW_HOST_MACHINE };
#define UNAME_WORDS   (sizeof(uname_attrs) / sizeof(uname_attrs[0]))
#define UNAME_MACHINE (UNAME_WORDS - 1)

/* Return: word @i, of *ret_len bytes; 0 bytes if the file does not have it */
static const char *uname_word(const struct tw_tracedat_info *info, size_t i, size_t *ret_len)
{
	const struct tw_tracedat_bytes *uname = tw_tracedat_info__option(info, TW_TRACEDAT_UNAME);
	const char *word = uname ? uname->data : "";

	for (; i; i--) {
		word += strcspn(word, " \n");
		word += strspn(word, " \n");
	}
	*ret_len = strcspn(word, " \n");
	return word;
}

static void set_machine(struct tw_convert *c)
{
	size_t len;
	const char *machine = uname_word(c->info, UNAME_MACHINE, &len);

	tw_schema__set_machine(c->schema, tw_machine__of(machine, len));
}

int tw_convert__texts(struct tw_convert *c, struct tw_error *error)
{
	const struct tw_tracedat_info *info = c->info;
	struct texts all = { 0 };
	int err;

	all.list = calloc(2 + info->n_formats + count_pieces(&info->printk), sizeof(*all.list));
	if (!all.list)
		return -ENOMEM;
	tw_schema__set_long_size(c->schema, info->long_size);
	set_machine(c);
	add(&all, TW_SCHEMA_HEADER_PAGE, 0, "", info->header_page.data, info->header_page.len);
	add(&all, TW_SCHEMA_HEADER_EVENT, 0, "", info->header_event.data, info->header_event.len);
	err = add_formats(c, &all);
	for (size_t at = 0, len; at < info->printk.len; at += len) {
		len = piece(info->printk.data + at, info->printk.len - at);
		add(&all, TW_SCHEMA_PRINTK, 0, "", info->printk.data + at, len);
	}
	if (!err) {
		qsort(all.list, all.n, sizeof(*all.list), order);
		err = make_records(c, &all, error);
	}
	free(all.list);
	return err;
}

static struct tw_frame_info control_info(const struct tw_convert *c, struct convert_stream *s)
{
	return (struct tw_frame_info){
		.flags = c->frame_flags,
		.source = TW_SOURCE_CONTROL,
		.channel = TW_CHANNEL_CONTROL,
		.cpu = TW_CPU_NONE,
		.stream_id = s->id,
		.schema_id = c->schema_id,
		.seq = s->control_seq,
		.base_time = c->time,
	};
}

static void write_frame(struct tw_convert *c, struct convert_stream *s, struct tw_frame *frame)
{
	const size_t len = tw_frame__end(frame);
	uint8_t *p = tw_convert__packet(c, len);

	if (!p)
		return;
	memcpy(p, frame->buf, len);
	tw_convert__commit(c, s, frame->info.base_time, len);
}

static void end_control(struct tw_convert *c)
{
	struct convert_stream *s = c->gathering;

	c->gathering = NULL;
	if (!s || c->frame.len == sizeof(struct tw_frame_hdr))
		return;
	write_frame(c, s, &c->frame);
	s->control_seq++;
}

/* Return: the control frame for the stream's next record; begins a new one if the current one is full, or has another stream or time */
static struct tw_frame *gather(struct tw_convert *c, struct convert_stream *s)
{
	if (c->gathering == s && c->frame.len < GATHER_LEN && c->frame.info.base_time == c->time)
		return &c->frame;
	end_control(c);
	tw_frame__begin(&c->frame, c->frame_bytes, TW_FRAME_MAX, &(struct tw_frame_info){ 0 });
	c->frame.info = control_info(c, s);
	c->gathering = s;
	return &c->frame;
}

void tw_convert__parts(struct tw_convert *c, struct convert_stream *s, struct tw_frame_info *info,
		       enum tw_tlv_type inner, const uint8_t *value, uint32_t len)
{
	uint32_t at = 0;
	size_t n = 1;

	s->part_id++;
	while (at < len && n) {
		struct tw_frame frame;

		tw_frame__begin(&frame, c->frame_bytes, TW_FRAME_MAX, info);
		n = tw_frame__add_part(&frame, inner, s->part_id, value, len, at);
		at += (uint32_t)n;
		write_frame(c, s, &frame);
		info->seq += info->source == TW_SOURCE_CONTROL;
	}
}

/* Return: 0, or -ENOMEM */
static int put_schema_in_parts(struct tw_convert *c, struct convert_stream *s, const struct tw_schema_view *schema)
{
	const size_t len = TW_SCHEMA_HEAD + schema->len;
	struct tw_frame_info info;
	uint8_t *value = malloc(len);

	if (!value)
		return -ENOMEM;
	end_control(c);
	info = control_info(c, s);
	tw_schema_tlv__lay_out(value, schema);
	tw_convert__parts(c, s, &info, TW_TLV_SCHEMA, value, (uint32_t)len);
	s->control_seq = info.seq;
	free(value);
	return 0;
}

static int put_schema(struct tw_convert *c, struct convert_stream *s, const struct tw_schema_view *schema)
{
	if (tw_schema_tlv__emit(gather(c, s), schema))
		return 0;
	end_control(c);
	return tw_schema_tlv__emit(gather(c, s), schema) ? 0 : put_schema_in_parts(c, s, schema);
}

/* The attributes of HOST, with copies of their values. */
struct host {
	struct tw_attr_view attrs[HOST_ATTRS];
	char text[HOST_ATTRS][256];
	size_t n;
};

static void host__text(struct host *host, enum tw_host_attr attr, const char *text, size_t len)
{
	char *copy = host->text[host->n];

	if (!len)
		return;
	len = len < sizeof(host->text[0]) ? len : sizeof(host->text[0]);
	memcpy(copy, text, len);
	host->attrs[host->n++] = (struct tw_attr_view){ (uint16_t)attr, (const uint8_t *)copy, len };
}

static void host__number(struct host *host, enum tw_host_attr attr, uint64_t number)
{
	char *copy = host->text[host->n];

	tw_store_be64(copy, number);
	host->attrs[host->n++] = (struct tw_attr_view){ (uint16_t)attr, (const uint8_t *)copy, sizeof(number) };
}

static void host__uname(struct host *host, const struct tw_tracedat_info *info)
{
	for (size_t i = 0; i < UNAME_WORDS; i++) {
		size_t len;
		const char *word = uname_word(info, i, &len);

		host__text(host, uname_attrs[i], word, len);
	}
}

static void host__init(struct host *host, const struct tw_tracedat_info *info, const struct tw_tracedat_buffer *buffer)
{
	const struct tw_tracedat_bytes *version = tw_tracedat_info__option(info, TW_TRACEDAT_VERSION);
	const uint32_t cpus = info->cpus > buffer->cpus ? info->cpus : buffer->cpus;
	char producer[128] = "";

	host->n = 0;
	host__uname(host, info);
	host__text(host, TW_HOST_INSTANCE, buffer->name, strlen(buffer->name));
	if (buffer->clock)
		host__text(host, TW_HOST_CLOCK, buffer->clock, strlen(buffer->clock));
	host__number(host, TW_HOST_CPUS, cpus);
	host__number(host, TW_HOST_PAGE_SIZE, info->page_size);
	host__number(host, TW_HOST_LONG_SIZE, info->long_size);
	if (version)
		snprintf(producer, sizeof(producer), "trace-cmd %s", version->data);
	host__text(host, TW_HOST_VERSION, producer, strcspn(producer, "\n"));
}

/* A hash of metadata: converting a file twice gives the same stream ids; files with other options or formats get other ids. */
static uint64_t stream_id(const struct tw_convert *c, size_t index)
{
	const struct tw_tracedat_info *info = c->info;
	struct tw_sha256 sha;
	uint8_t digest[TW_SHA256_SIZE], numbers[24];

	tw_store_be64(numbers, index);
	tw_store_be64(numbers + 8, c->schema_id);
	tw_store_be64(numbers + 16, info->data_bytes);
	tw_sha256__init(&sha);
	tw_sha256__update(&sha, numbers, sizeof(numbers));
	for (size_t i = 0; i < info->n_options; i++)
		tw_sha256__update(&sha, info->options[i].value.data, info->options[i].value.len);
	tw_sha256__fini(&sha, digest);
	return tw_load_be64(digest);
}

static int open_interface(struct tw_convert *c, struct convert_stream *s)
{
	struct tw_identity identity = { 0 };
	char name[2 * sizeof(identity.host)], description[1536];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = description,
		.os = identity.release,
		.comment = c->info->dated ? NULL
					  : "packet times count from the start of the trace clock, not from 1970: the "
					    "trace.dat file does not say when it was recorded",
		.linktype = TW_LINKTYPE_ETHERNET,
	};
	const size_t head = sizeof(struct tw_frame_hdr) + sizeof(struct tw_tlv);
	uint8_t bytes[sizeof(struct tw_frame_hdr) + HOST_ATTRS * 264 + TW_COPY_STEP];
	struct tw_frame frame;
	struct host host;

	host__init(&host, c->info, s->buffer);
	tw_frame__begin(&frame, bytes, sizeof(bytes) - TW_COPY_STEP, &(struct tw_frame_info){ 0 });
	tw_host__emit(&frame, host.attrs, host.n);
	tw_identity__host(&identity, &(struct tw_tlv_view){ .value = bytes + head, .len = frame.len - head });
	tw_identity__name(&identity, s->id, name, sizeof(name));
	tw_identity__describe(&identity, description, sizeof(description));
	return tw_pcapng__interface(c->file, &interface, &s->interface);
}

static int open_stream(struct tw_convert *c, size_t index)
{
	struct convert_stream *s = &c->streams[index];

	s->buffer = &c->info->buffers[index];
	s->id = stream_id(c, index);
	s->next_seq = calloc((size_t)s->buffer->cpu_end + 1, sizeof(*s->next_seq));
	c->n_streams++;
	return s->next_seq ? open_interface(c, s) : -ENOMEM;
}

static int open_file(struct tw_convert *c, const struct tw_pcapng_section *section, struct tw_error *error)
{
	const struct tw_output_options options = { .fd = c->options->fd, .name = c->options->name };
	const int err = tw_output__open(&options, &c->output, error);

	return err ? err : tw_pcapng__open(c->output, FILE_BUFFER, section, &c->file, error);
}

int tw_convert__open_streams(struct tw_convert *c, struct tw_error *error)
{
	struct tw_pcapng_section section = { .application = "tracewire convert " TRACEWIRE_VERSION };
	char **comments = NULL;
	int err = tw_convert__comments(c, &comments);

	if (!err) {
		section.comments = (const char *const *)comments;
		err = open_file(c, &section, error);
	}
	tw_convert__free_comments(comments);
	if (!err) {
		c->streams = calloc(c->info->n_buffers, sizeof(*c->streams));
		err = c->streams ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < c->info->n_buffers && !err; i++)
		err = open_stream(c, i);
	c->stats.streams = c->n_streams;
	return err;
}

/* Writes a COMM for each line "PID NAME"; a name may contain spaces. */
static void explain_tasks(struct tw_convert *c, struct convert_stream *s)
{
	const struct tw_tracedat_bytes *text = &c->info->cmdlines;
	const char *at = text->data, *end = at + text->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		char *name;
		const unsigned long pid = strtoul(at, &name, 10);

		if (name > at && name < stop && *name == ' ' && pid <= PID_MAX) {
			const struct tw_comm_view comm = {
				.origin = TW_COMM_SAVED,
				.pid = (uint32_t)pid,
				.name = (const uint8_t *)name + 1,
				.len = (size_t)(stop - name - 1),
			};

			tw_comm__emit(gather(c, s), &comm);
		}
		at = stop + 1;
	}
}

static int explain(struct tw_convert *c, struct convert_stream *s)
{
	struct host host;
	int err = 0;

	host__init(&host, c->info, s->buffer);
	tw_host__emit(gather(c, s), host.attrs, host.n);
	if (c->info->dated) {
		struct tw_clock_view clock = { .valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL,
					       .error_ns = DATE_ERROR_NS };

		clock.reading[TW_CLOCK_TRACE] = clock.reading[TW_CLOCK_REAL] = c->time;
		tw_clock__emit(gather(c, s), &clock);
	}
	for (size_t i = 0; i < c->texts.n && !err; i++)
		err = put_schema(c, s, &c->texts.items[i]);
	if (c->info->cmdlines.data)
		explain_tasks(c, s);
	end_control(c);
	return err;
}

int tw_convert__explain(struct tw_convert *c, uint64_t time)
{
	int err = 0;

	c->time = time;
	for (size_t i = 0; i < c->n_streams && !err; i++)
		err = explain(c, &c->streams[i]);
	return err;
}

/* Parses the kernel's symbols when the first address is looked up. */
static int load(struct tw_convert *c)
{
	const struct tw_tracedat_bytes *text = &c->info->kallsyms;
	int err = 0;

	if (c->symbols)
		return 0;
	c->symbols = tw_symbols__new();
	if (!c->symbols)
		return -ENOMEM;
	if (text->data)
		err = tw_symbols__parse(c->symbols, text->data, text->len);
	return err == -E2BIG ? 0 : err;
}

/*
 * The size for a SYMBOL. A symbol of unknown size extends to the next symbol of the file, because readers of the conversion may not have
 * the next symbol; the last symbol has size 1. Return: 0 ("unknown") if the size exceeds 32 bits.
 */
static uint32_t size_of(struct tw_symbols *symbols, const struct tw_symbol *symbol)
{
	size_t low = 0, high = tw_symbols__count(symbols);
	struct tw_symbol next;
	uint64_t size = symbol->size;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (tw_symbols__at(symbols, middle, &next) && next.address <= symbol->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!size)
		size = tw_symbols__at(symbols, low, &next) ? next.address - symbol->address : 1;
	return size <= UINT32_MAX ? (uint32_t)size : 0;
}

/* Adds an address to a set. Return: 1 if it is new, 0 if it was in the set, -ENOMEM */
static int add_address(struct tw_hash_table *set, uint64_t address)
{
	if (tw_hash_table__find_u64(set, address))
		return 0;
	set->key_size = sizeof(address);
	if (set->n >= ADDRESSES_MAX)
		tw_hash_table__fini(set);
	return tw_hash_table__put_u64(set, address, NULL);
}

static int look_up(struct tw_convert *c, struct convert_stream *s, uint64_t address)
{
	struct tw_symbol symbol;
	struct tw_symbol_view view;
	int err = add_address(&s->looked_up, address);

	if (err <= 0)
		return err;
	err = load(c);
	if (err || !tw_symbols__find(c->symbols, address, &symbol))
		return err;
	err = add_address(&s->sent, symbol.address);
	if (err <= 0)
		return err;
	view = (struct tw_symbol_view){
		.size = size_of(c->symbols, &symbol),
		.address = symbol.address,
		.name = (const uint8_t *)symbol.name,
		.len = strlen(symbol.name),
	};
	tw_symbol__emit(gather(c, s), &view);
	c->stats.symbols++;
	return 0;
}

static int look_up_value(struct tw_convert *c, struct convert_stream *s, const struct tw_field *field,
			 const struct tw_record *record)
{
	struct tw_value value, element;
	int err = 0;

	if (tw_field__read(field, record, &value))
		return 0;
	if (value.kind != TW_FIELD_ARRAY)
		return value.kind <= TW_FIELD_POINTER ? look_up(c, s, value.u) : 0;
	for (uint32_t i = 0; !err && !tw_value__element(field, &value, i, &element); i++)
		err = look_up(c, s, element.u);
	return err;
}

int tw_convert__symbols(struct tw_convert *c, struct convert_stream *s, const struct convert_format *format,
			const struct tw_tracedat_event *event)
{
	const struct tw_record record = { .data = event->record, .len = event->len, .big_endian = c->info->big_endian };
	int err = 0;

	c->time = event->time;
	for (size_t i = 0; i < format->n_fields && !err; i++)
		err = look_up_value(c, s, format->fields[i], &record);
	end_control(c);
	return err;
}
