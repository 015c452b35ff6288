/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the first pass found out about a frame is kept with the frame, for the passes after it. */
#include "dissector/packet-tracewire.h"

/* Keys of what is kept with a frame. */
enum { SEQUENCE, FIRST_REFUSAL };

struct refusal {
	expert_field *ei;
	const char *text;
};

/* A PART and the record that is whole with it are two. */
static uint32_t refusal_key(const struct tw_dissect *d)
{
	return FIRST_REFUSAL + 2 * d->n_tlvs + d->bytes.reassembled;
}

const struct tw_sequence_note *tw_notes__sequence(struct tw_dissect *d)
{
	const struct tw_sequence_note *note;

	if (!d->first_pass)
		return p_get_proto_data(wmem_file_scope(), d->pinfo, proto_trace, SEQUENCE);
	note = d->stream ? tw_stream__check_sequence(d->stream, &d->frame) : NULL;
	if (note)
		p_add_proto_data(wmem_file_scope(), d->pinfo, proto_trace, SEQUENCE, (void *)note);
	return note;
}

void tw_dissect__refuse(struct tw_dissect *d, expert_field *ei, const char *text)
{
	struct refusal *refusal;

	tw_dissect__expert(d, ei, text);
	if (tw_capture_refusals >= TW_REFUSALS_MAX)
		return;
	tw_capture_refusals++;
	refusal = wmem_new(wmem_file_scope(), struct refusal);
	*refusal = (struct refusal){ ei, wmem_strdup(wmem_file_scope(), text) };
	p_add_proto_data(wmem_file_scope(), d->pinfo, proto_trace, refusal_key(d), refusal);
}

bool tw_dissect__was_refused(struct tw_dissect *d)
{
	const struct refusal *refusal;

	if (d->first_pass)
		return false;
	refusal = p_get_proto_data(wmem_file_scope(), d->pinfo, proto_trace, refusal_key(d));
	if (refusal)
		tw_dissect__expert(d, refusal->ei, refusal->text);
	return refusal;
}
