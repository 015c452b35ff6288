/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the print engine. A program while it runs. */
#ifndef TW_PRINT_RUN_H
#define TW_PRINT_RUN_H

#include "schema/print/program.h"

struct tw_run {
	const struct tw_print *print;
	const struct tw_record *record;
	const struct tw_print_host *host;
	struct tw_line *line;
	uint64_t *top; /* the topmost value */
	char *mark;    /* where the line ended */
	uint32_t work; /* bytes of the record looked at so far, some of them again and again */
};

/** tw_run__bytes() - as tw_print__bytes(), for what is put on the line: counted */
static inline struct tw_put_bytes tw_run__bytes(struct tw_run *run, const struct tw_field *field)
{
	const struct tw_put_bytes bytes = tw_print__bytes(field, run->record);

	run->work += bytes.len < TW_PRINT_WORK_MAX ? bytes.len : TW_PRINT_WORK_MAX;
	return bytes;
}

/** tw_run__put() - one of the operations that put text on the line, but for the commonest */
void tw_run__put(struct tw_run *run, const struct tw_op *op);

#endif
