/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in the metadata, the same in both versions: one function a section, whatever cursor it comes through. Each
 * returns 0, or -errno with the damage told; what was read before it stays.
 */
#ifndef TW_TRACEDAT_TEXTS_H
#define TW_TRACEDAT_TEXTS_H

#include "pcap-tools/tracedat/cursor.h"

/** tw_dat__headers() - header_page and header_event, and the layout that they tell */
int tw_dat__headers(struct tw_dat_cursor *c);

/** tw_dat__ftrace_formats() - and tw_dat__event_formats(): the format texts */
int tw_dat__ftrace_formats(struct tw_dat_cursor *c);
int tw_dat__event_formats(struct tw_dat_cursor *c);

/** tw_dat__kallsyms() - tw_dat__printk() and tw_dat__cmdlines(): one text each */
int tw_dat__kallsyms(struct tw_dat_cursor *c);
int tw_dat__printk(struct tw_dat_cursor *c);
int tw_dat__cmdlines(struct tw_dat_cursor *c);

/**
 * tw_dat__option() - one option: kept, and applied where it matters to the reader
 * @id: as read; its size and value follow at the cursor
 */
int tw_dat__option(struct tw_dat_cursor *c, uint16_t id);

/**
 * tw_dat__add_buffer() - one buffer more; the top one goes first
 * @buffer: its name and clock become the reader's, also on failure
 */
int tw_dat__add_buffer(struct tw_tracedat *dat, const struct tw_tracedat_buffer *buffer,
		       const struct tw_dat_buffer *places);

#endif
