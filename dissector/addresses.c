/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/addresses.h"

#define SYMBOL_BYTES 160 /* taken by one, about: in the schema library's table, and in ours of frames */

struct named_in {
	uint64_t address;
	uint32_t frame;
};

/* The strings as they came, to see a repetition for late joiners. */
struct tw_strings_text {
	const char *text;
	size_t len;
	uint32_t frame;
};

static void free_symbols(void *symbols)
{
	tw_symbols__free(symbols);
}

static void free_strings(void *strings)
{
	tw_strings__free(strings);
}

/* The stream's own tables, writable; the print engine only reads them. */
static struct tw_symbols *symbols_of(struct tw_stream *stream)
{
	if (!stream->symbols && (stream->symbols = tw_symbols__new())) {
		tw_capture__own(stream->symbols, free_symbols);
		stream->known.symbols = stream->symbols;
	}
	return stream->symbols;
}

static struct tw_strings *strings_of(struct tw_stream *stream)
{
	if (!stream->strings && (stream->strings = tw_strings__new())) {
		tw_capture__own(stream->strings, free_strings);
		stream->known.strings = stream->strings;
	}
	return stream->strings;
}

bool tw_stream__learn_symbol(struct tw_stream *stream, const struct tw_symbol_view *view, uint32_t frame)
{
	struct tw_symbols *symbols = symbols_of(stream);
	struct named_in *named;

	if (!view->len || wmem_map_lookup(stream->symbol_frames, &view->address))
		return true; /* repeated for late joiners */
	if (!symbols || !tw_capture__allow(SYMBOL_BYTES + view->len) ||
	    tw_symbols__add(symbols, view->address, view->size, (const char *)view->name, view->len, NULL, 0))
		return false;
	named = wmem_new(wmem_file_scope(), struct named_in);
	*named = (struct named_in){ view->address, frame };
	wmem_map_insert(stream->symbol_frames, &named->address, named);
	return true;
}

bool tw_stream__learn_strings(struct tw_stream *stream, const struct tw_schema_text *text, uint32_t frame)
{
	struct tw_strings_text *last = stream->strings_text;
	struct tw_strings *strings = strings_of(stream);

	if (last && last->len == text->len && !memcmp(last->text, text->text, text->len))
		return true;
	/* Kept as it is, and parsed: the shortest line makes an entry several times its size. */
	if (!strings || !tw_capture__allow(sizeof(*last) + 5 * text->len) ||
	    tw_strings__parse(strings, text->text, text->len))
		return false;
	if (!last)
		last = wmem_new(wmem_file_scope(), struct tw_strings_text);
	*last = (struct tw_strings_text){ wmem_memdup(wmem_file_scope(), text->text, text->len), text->len, frame };
	stream->strings_text = last;
	return true;
}

bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_frame)
{
	const struct named_in *named;

	if (!stream || !stream->symbols || !tw_symbols__find(stream->symbols, address, ret))
		return false;
	named = wmem_map_lookup(stream->symbol_frames, &ret->address);
	*ret_frame = named ? named->frame : 0;
	return true;
}

uint32_t tw_stream__strings_frame(const struct tw_stream *stream)
{
	return stream->strings_text ? stream->strings_text->frame : 0;
}
