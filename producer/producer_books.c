/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books: what became of every event, by our counters and by the kernel's. */

#include "base/counter.h"
#include "base/time.h"
#include "producer/producer_impl.h"

/* Where the kernel's counters do not fit, what we know of is all that is certain: at least that was recorded. */
static void settle_ring(struct tw_producer *p, struct tw_trace_ring *ring, struct tw_frame_writer *port)
{
	struct tw_cpu_stats stats = { 0 };

	if (!tw_trace_ring__settle(ring, port, &stats) && tw_trace_ring__fits(ring, &stats)) {
		p->recorded += stats.read + stats.overrun + stats.commit_overrun + stats.dropped + stats.entries;
		return;
	}
	p->recorded += ring->read + ring->lost;
	p->unsure.rings++;
	p->unsure.read += ring->read;
	p->unsure.kernel_read += stats.read;
}

void tw_producer__settle(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		for (size_t k = 0; k < p->readers[i].n_rings; k++)
			settle_ring(p, &p->readers[i].rings[k], &p->readers[i].port);
	}
	p->settled = true;
}

static double run_seconds(const struct tw_producer *p)
{
	const uint64_t end = p->stopped_ns ? p->stopped_ns : tw_time__now(CLOCK_MONOTONIC);

	return p->started_ns ? (double)(end - p->started_ns) / (double)TW_NS_PER_SECOND : 0;
}

/* While its thread counts on. */
static void add_reader(struct tw_reader *r, struct tw_producer_counters *books)
{
	struct tw_sink_stats sink;

	for (size_t k = 0; k < r->n_rings; k++) {
		books->read += tw_counter__read(&r->rings[k].read);
		books->filtered += tw_counter__read(&r->rings[k].filtered);
		books->given_up += tw_counter__read(&r->rings[k].gate_cpu.given_up);
		books->lost_ring += tw_counter__read(&r->rings[k].lost);
		books->shed += tw_counter__read(&r->rings[k].channel.shed);
		books->late += tw_counter__read(&r->rings[k].late);
	}
	tw_reader__sink_stats(r, &sink);
	books->frames += sink.frames;
	books->bytes += sink.bytes;
	books->dropped_frames += sink.dropped;
	books->lost_tx += sink.dropped_events;
	if (r->port.events_per_frame == 1) /* one each, or it was metadata */
		books->lost_tx += sink.dropped_unseen;
	else
		books->dropped_unseen += sink.dropped_unseen;
	books->delivered += tw_counter__read(&r->port.events);
	books->nameless_too_many += tw_counter__read(&r->addresses.forgotten);
}

void tw_producer__counters(const struct tw_producer *p, struct tw_producer_counters *ret)
{
	struct tw_producer_counters books = { .schemas = p->announcer.schemas, .seconds = run_seconds(p) };
	struct tw_tasks_stats tasks;

	for (unsigned int i = 0; i < p->n_readers; i++)
		add_reader(&p->readers[i], &books);
	if (books.lost_tx > books.delivered)
		books.lost_tx = books.delivered;
	books.delivered -= books.lost_tx;
	tw_tasks__stats(p->tasks, &tasks);
	books.unnamed = tasks.unnamed;
	books.names = tasks.names;
	books.bookkeeping_read = tasks.read;
	books.bookkeeping_lost = tasks.lost;
	books.questions = p->questions;
	books.symbols = p->announcer.symbolizer.found;
	books.nameless = p->announcer.symbolizer.unfound;
	books.symbols_hidden = p->announcer.symbolizer.blind;
	books.unsure = p->unsure;
	books.switched_off = p->switched_off;
	books.recorded = p->settled ? p->recorded : books.read + books.lost_ring;
	books.balanced =
		books.recorded == books.delivered + books.lost_ring + books.filtered + books.shed + books.lost_tx;
	*ret = books;
}

void tw_producer__send_stats(void *ctx, struct tw_control_channel *control)
{
	const struct tw_producer *p = ctx;
	struct tw_producer_counters books;

	tw_producer__counters(p, &books);
	const struct tw_stat_view totals[] = {
		{ TW_STAT_RECORDED, TW_CHANNEL_CONTROL, books.recorded },
		{ TW_STAT_READ, TW_CHANNEL_CONTROL, books.read },
		{ TW_STAT_FILTERED, TW_CHANNEL_CONTROL, books.filtered },
		{ TW_STAT_OVERRUN, TW_CHANNEL_CONTROL, books.lost_ring },
		{ TW_STAT_SHED, TW_CHANNEL_CONTROL, books.shed },
		{ TW_STAT_SENT_EVENTS, TW_CHANNEL_CONTROL, books.delivered + books.lost_tx },
		{ TW_STAT_SENT_FRAMES, TW_CHANNEL_CONTROL, books.frames },
		{ TW_STAT_SENT_BYTES, TW_CHANNEL_CONTROL, books.bytes },
		{ TW_STAT_TX_DROPS, TW_CHANNEL_CONTROL, books.dropped_frames },
		{ TW_STAT_TX_DROP_EVENTS, TW_CHANNEL_CONTROL, books.lost_tx },
		{ TW_STAT_TX_DROPS_UNSEEN, TW_CHANNEL_CONTROL, books.dropped_unseen },
		{ TW_STAT_UNSURE_RINGS, TW_CHANNEL_CONTROL, books.unsure.rings },
		{ TW_STAT_UNNAMED, TW_CHANNEL_CONTROL, books.unnamed },
		{ TW_STAT_BOOK_READ, TW_CHANNEL_CONTROL, books.bookkeeping_read },
		{ TW_STAT_BOOK_LOST, TW_CHANNEL_CONTROL, books.bookkeeping_lost },
	};

	tw_control_channel__stats(control, totals, sizeof(totals) / sizeof(totals[0]));
}
