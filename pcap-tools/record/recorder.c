/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "wire/encode.h"

#define SLOTS_DEFAULT      512
#define SLOT_BYTES_DEFAULT (16 * 1024)
#define FLUSH_MS           40 /* longest time in a file's buffer; a kill may lose 100 ms of data, 60 ms of it in earlier stages */
#define PACKETS_MS         10 /* longest time between two readings of packets: the kernel's buffer must not become full */
#define READS_MAX          16                     /* readings of the packets that wait, before frames are written */
#define LAST_PACKETS_NS    (5 * TW_NS_PER_SECOND) /* longest time for the packets that wait at the end */
#define COUNT_PACKETS_NS   TW_NS_PER_SECOND       /* time between two readings of the packets' counters */
#define ANSWERS_MAX        512 /* clock samples in the command queue; more are dropped, because newer ones will follow */
#define BATCH_MAX          8   /* limit of the slots that are taken, passed on or returned together */
/* A call of the output is stuck if it has lasted for at least this time, and the deadline passed at least this time ago. */
#define STUCK_NS (1500 * TW_NS_PER_MS)

/*
 * Messages from other threads to the recorder's thread (frames have their own queue), and the reports that the recorder's thread
 * returns. No other thread waits for the disk, because the recorder's thread holds the lock only to take or put a message. The thread
 * that calls tw_recorder__answer() takes no lock.
 */

struct clock_answer {
	uint64_t stream_id;
	struct tw_time_sync_sample sample;
};

struct command_queue {
	struct clock_answer answers[ANSWERS_MAX]; /* ring; the entries [read, written) modulo ANSWERS_MAX are queued */
	_Atomic uint32_t written, read;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t reported;
	struct tw_own_clock own;
	bool has_own;
	bool wanted;                       /* a thread waits for reports */
	struct tw_archive_report *reports; /* reports of all streams, for the thread that waits */
	size_t n_reports;
	struct tw_archive_stats stats; /* totals when the reports were made */
};

static void run_answers(struct command_queue *queue, struct tw_archive *archive)
{
	const uint32_t written = atomic_load_explicit(&queue->written, memory_order_acquire);
	uint32_t at = atomic_load_explicit(&queue->read, memory_order_relaxed);

	for (; at != written; at++) {
		const struct clock_answer answer = queue->answers[at % ANSWERS_MAX];

		atomic_store_explicit(&queue->read, at + 1, memory_order_release);
		tw_archive__answer(archive, answer.stream_id, &answer.sample); /* may write waiting packets */
	}
}

static void put_reports(struct command_queue *queue, const struct tw_archive *archive)
{
	struct tw_archive_report *reports, *old;
	struct tw_archive_stats stats;
	size_t n;

	/* If there is no memory for the reports, n is 0: the status shows no streams. */
	tw_archive__reports(archive, &reports, &n);
	tw_archive__stats(archive, &stats);
	pthread_mutex_lock(&queue->lock);
	old = queue->reports;
	queue->reports = reports;
	queue->n_reports = n;
	queue->stats = stats;
	queue->wanted = false;
	pthread_cond_signal(&queue->reported);
	pthread_mutex_unlock(&queue->lock);
	free(old);
}

/* Processes all messages; called by the recorder's thread. */
static void command_queue__run(struct command_queue *queue, struct tw_archive *archive)
{
	struct tw_own_clock own;
	bool has_own, wanted;

	run_answers(queue, archive);
	pthread_mutex_lock(&queue->lock);
	own = queue->own;
	has_own = queue->has_own;
	wanted = queue->wanted;
	queue->has_own = false;
	pthread_mutex_unlock(&queue->lock);
	if (has_own)
		tw_archive__own_clock(archive, &own);
	if (wanted)
		put_reports(queue, archive);
}

_Static_assert(TW_COPY_STEP <= TW_MERGE_SLACK, "the bytes after a slot are enough for the encoder and the merge");

struct tw_recorder {
	struct tw_slot_queue queue;
	struct command_queue commands;
	struct tw_output *output;
	struct tw_archive *archive;
	struct tw_packet_capture *packets; /* NULL = no packets are captured */
	uint64_t packets_counted;          /* time of the last reading of their counters, CLOCK_MONOTONIC, ns */
	pthread_t thread;
	pthread_mutex_t lock;   /* protects the members up to the blank line */
	pthread_cond_t changed; /* signalled by the thread when it has set tid or ended */
	int tid;                /* 0 = the thread has not started */
	bool ended;
	struct tw_error error;                   /* text of the writer's first failure */
	uint64_t missing;                        /* frames for tw_archive__missing() */
	const char *gone[TW_PACKET_CAPTURE_MAX]; /* for tw_recorder__gone() */

	/*
	 * The recorder's thread holds this lock except during calls of the output. Another thread that takes the lock during such a call
	 * may read the archive. As long as it holds the lock, the recorder's thread cannot continue after the call.
	 */
	pthread_mutex_t turn;
	uint64_t in_output;         /* beginning of the current call of the output, CLOCK_MONOTONIC, ns; 0 = no call */
	struct tw_slot_list filled; /* slots taken from the queue and not written yet */
	struct tw_recorder *next_left; /* list of abandoned recorders: keeps them reachable for leak checkers */
	bool is_left;                  /* abandoned by recorder__leave_behind() */

	const struct tw_deadline *deadline;
	bool has_queue, has_thread;
	bool failed;             /* the writer has failed: frames are only counted */
	atomic_bool full;        /* for tw_recorder__is_full() */
	_Atomic uint64_t rounds; /* rounds of recorder__write() so far, for tw_recorder__progress() */
	uint32_t slots, slot_bytes, batch;
	struct tw_slot_list done; /* slots to be returned; only the recorder's thread uses this and the next member */
	uint32_t n_borrowed;      /* number of slots that the merge has borrowed */
	char name[256];
};

static void recorder__fail(struct tw_recorder *rec, int err)
{
	if (!err || rec->failed)
		return;
	rec->failed = true;
	pthread_mutex_lock(&rec->lock);
	tw_archive__error(rec->archive, &rec->error);
	pthread_mutex_unlock(&rec->lock);
	tw_slot_queue__fail(&rec->queue, err);
}

static void recorder__note_full(struct tw_recorder *rec)
{
	if (tw_archive__is_full(rec->archive))
		atomic_store_explicit(&rec->full, true, memory_order_relaxed);
}

static void recorder__released(struct tw_borrowed_buffer *buffer)
{
	struct tw_slot *slot = (struct tw_slot *)((uint8_t *)buffer - offsetof(struct tw_slot, buffer));
	struct tw_recorder *rec = slot->recorder;

	rec->n_borrowed -= slot->borrowed;
	slot->borrowed = false;
	tw_slot_list__push(&rec->done, slot);
	if (rec->done.n >= rec->batch) /* return slots before the end of the round: producers may be waiting for them */
		tw_slot_queue__give(&rec->queue, &rec->done);
}

static void recorder__write_slot(struct tw_recorder *rec, struct tw_slot *slot)
{
	struct tw_arrival arrival = slot->arrival;
	size_t at = 0;

	if (slot->retires) {
		recorder__fail(rec, tw_archive__retire_stream(rec->archive, slot->stream_id));
		tw_slot_list__push(&rec->done, slot);
		return;
	}
	slot->buffer = (struct tw_borrowed_buffer){ .users = 1, .released = recorder__released };
	slot->recorder = rec;
	if (slot->len >= rec->slot_bytes / 4 && rec->n_borrowed < rec->slots / 2)
		arrival.buffer = &slot->buffer;
	do {
		const size_t rest = slot->len - at, len = rest < slot->segment ? rest : slot->segment;

		recorder__fail(rec, tw_archive__frame(rec->archive, slot->data + at, len, &arrival));
		recorder__note_full(rec);
		at += slot->segment;
	} while (at < slot->len);
	slot->borrowed = slot->buffer.users > 1;
	rec->n_borrowed += slot->borrowed;
	tw_borrowed_buffer__return(&slot->buffer);
}

static void recorder__enter_output(void *ctx)
{
	struct tw_recorder *rec = ctx;

	rec->in_output = tw_time__now(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&rec->turn);
}

static void recorder__leave_output(void *ctx)
{
	struct tw_recorder *rec = ctx;

	pthread_mutex_lock(&rec->turn);
	rec->in_output = 0;
}

static int take_packet(void *ctx, const struct tw_captured_packet *packet)
{
	struct tw_recorder *rec = ctx;

	recorder__fail(rec, tw_archive__packet(rec->archive, packet));
	return 0;
}

/* Reads the counters of the packets, and passes them to the archive. */
static void recorder__count_packets(struct tw_recorder *rec)
{
	struct tw_packet_counters counters;

	for (size_t i = 0; rec->packets && i < tw_packet_capture__n(rec->packets); i++) {
		tw_packet_capture__counters(rec->packets, i, &counters);
		tw_archive__packet_counters(rec->archive, i, &counters);
		pthread_mutex_lock(&rec->lock);
		rec->gone[i] = counters.gone;
		pthread_mutex_unlock(&rec->lock);
	}
	rec->packets_counted = tw_time__now(CLOCK_MONOTONIC);
}

/* Reads the packets that precede the frames taken from the queue just now. Return: whether these were all */
static bool recorder__read_packets(struct tw_recorder *rec)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	bool all = !rec->packets;

	for (int i = 0; i < READS_MAX && !all; i++)
		tw_packet_capture__read(rec->packets, take_packet, rec, &all);
	if (rec->packets && all)
		recorder__fail(rec, tw_archive__packets_until(rec->archive, now - TW_PACKET_CAPTURE_LATE));
	if (rec->packets && now - rec->packets_counted >= COUNT_PACKETS_NS)
		recorder__count_packets(rec);
	return all;
}

/* Reads the packets of the time until now, which may arrive later than their stamps, and those that waited before. */
static void recorder__last_packets(struct tw_recorder *rec)
{
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);
	const struct timespec pause = { .tv_nsec = 5 * TW_NS_PER_MS };
	uint64_t spent = 0;
	bool all = true;

	if (rec->packets)
		tw_packet_capture__stop(rec->packets);
	while (rec->packets && (spent < TW_PACKET_CAPTURE_LATE || (!all && spent < LAST_PACKETS_NS))) {
		all = recorder__read_packets(rec);
		if (all)
			nanosleep(&pause, NULL);
		spent = tw_time__now(CLOCK_MONOTONIC) - begin;
	}
	recorder__count_packets(rec);
}

/* Finishes the archive and the output. Runs in the recorder's thread, because it may wait for the disk. */
static void recorder__end(struct tw_recorder *rec)
{
	struct tw_error closing;
	int err;

	pthread_mutex_lock(&rec->lock);
	tw_archive__missing(rec->archive, rec->missing);
	pthread_mutex_unlock(&rec->lock);
	recorder__last_packets(rec);
	recorder__fail(rec, tw_archive__finish(rec->archive));
	err = tw_output__finish(rec->output, &closing);
	if (!err || rec->failed)
		return;
	pthread_mutex_lock(&rec->lock);
	rec->error = closing;
	pthread_mutex_unlock(&rec->lock);
	tw_slot_queue__fail(&rec->queue, err);
}

static void recorder__write(struct tw_recorder *rec)
{
	const uint32_t wait_ms = rec->packets ? PACKETS_MS : FLUSH_MS;
	uint64_t flushed = tw_time__now(CLOCK_MONOTONIC);
	struct tw_slot *slot;

	while (tw_slot_queue__wait(&rec->queue, wait_ms, &rec->filled)) {
		command_queue__run(&rec->commands, rec->archive);
		recorder__read_packets(rec);
		while ((slot = tw_slot_list__pop(&rec->filled)))
			recorder__write_slot(rec, slot);
		tw_slot_queue__give(&rec->queue, &rec->done);
		recorder__fail(rec, tw_archive__tick(rec->archive, tw_time__now(CLOCK_MONOTONIC)));
		recorder__note_full(rec); /* tw_archive__tick() may end the last permitted file, because of its time */
		atomic_fetch_add_explicit(&rec->rounds, 1, memory_order_relaxed);
		if (!tw_output__is_pipe(rec->output) &&
		    tw_time__now(CLOCK_MONOTONIC) - flushed < FLUSH_MS * TW_NS_PER_MS)
			continue;
		recorder__fail(rec, tw_archive__flush(rec->archive));
		flushed = tw_time__now(CLOCK_MONOTONIC);
	}
}

static void *recorder__run(void *arg)
{
	struct tw_recorder *rec = arg;

	pthread_mutex_lock(&rec->lock);
	rec->tid = gettid();
	pthread_mutex_unlock(&rec->lock);
	pthread_cond_signal(&rec->changed);
	pthread_mutex_lock(&rec->turn);
	recorder__write(rec);
	recorder__end(rec);
	pthread_mutex_unlock(&rec->turn);
	pthread_mutex_lock(&rec->lock);
	rec->ended = true;
	pthread_cond_signal(&rec->changed);
	pthread_mutex_unlock(&rec->lock);
	return NULL;
}

/* Starts the thread with all signals blocked: other threads handle them, and writing to a closed pipe must fail with EPIPE. */
static int recorder__start(struct tw_recorder *rec, struct tw_error *error)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&rec->thread, NULL, recorder__run, rec);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return tw_error__set(error, -err, "writing %s: starting a thread: %s", rec->name, strerror(err));
	rec->has_thread = true;
	pthread_setname_np(rec->thread, "tracewire-write");
	pthread_mutex_lock(&rec->lock);
	while (!rec->tid)
		pthread_cond_wait(&rec->changed, &rec->lock);
	pthread_mutex_unlock(&rec->lock);
	return 0;
}

/* Announces the interfaces of the capture of packets to the archive. */
static int recorder__announce(struct tw_recorder *rec)
{
	struct tw_packet_interface interfaces[TW_PACKET_CAPTURE_MAX];
	const size_t n = rec->packets ? tw_packet_capture__n(rec->packets) : 0;

	for (size_t i = 0; i < n; i++)
		tw_packet_capture__interface(rec->packets, i, &interfaces[i]);
	return n ? tw_archive__capture(rec->archive, interfaces, n) : 0;
}

static int recorder__prepare(struct tw_recorder *rec, const struct tw_recorder_options *options, struct tw_error *error)
{
	int err;

	rec->slots = options->slots ? options->slots : SLOTS_DEFAULT;
	rec->batch = rec->slots / 16 < BATCH_MAX ? rec->slots / 16 + 1 : BATCH_MAX;
	rec->slot_bytes = options->slot_bytes ? options->slot_bytes : SLOT_BYTES_DEFAULT;
	strncpy(rec->name, tw_output__name(rec->output), sizeof(rec->name) - 1);
	err = tw_archive__new(rec->output, &options->archive, &rec->archive, error);
	if (err)
		return err;
	err = recorder__announce(rec);
	if (err)
		return tw_error__set(error, err, "writing %s: no memory", rec->name);
	err = tw_slot_queue__init(&rec->queue, rec->slots, rec->slot_bytes + TW_MERGE_SLACK);
	if (err)
		return tw_error__set(error, err, "writing %s: a queue of %u slots of %u bytes cannot be allocated: %s",
				     rec->name, rec->slots, rec->slot_bytes, strerror(-err));
	rec->has_queue = true;
	return recorder__start(rec, error);
}

int tw_recorder__new(const struct tw_recorder_options *options, struct tw_recorder **ret, struct tw_error *error)
{
	struct tw_recorder *rec = calloc(1, sizeof(*rec));
	int err;

	if (!rec) {
		tw_output__free(options->output);
		tw_packet_capture__close(options->packets);
		return tw_error__set(error, -ENOMEM, "writing a recording: no memory");
	}
	rec->output = options->output;
	rec->packets = options->packets;
	rec->deadline = options->deadline;
	tw_output__watch(rec->output, recorder__enter_output, recorder__leave_output, rec);
	pthread_mutex_init(&rec->commands.lock, NULL);
	pthread_cond_init(&rec->commands.reported, NULL);
	pthread_mutex_init(&rec->lock, NULL);
	pthread_mutex_init(&rec->turn, NULL);
	pthread_cond_init(&rec->changed, NULL);
	err = recorder__prepare(rec, options, error);
	if (err) {
		tw_recorder__free(rec);
		return err;
	}
	*ret = rec;
	return 0;
}

/* Return: whether the recorder's thread is stuck; if so, rec->turn is held, which prevents the thread from continuing */
static bool recorder__stop_stuck(struct tw_recorder *rec)
{
	if (tw_deadline__overdue(rec->deadline) < STUCK_NS || pthread_mutex_trylock(&rec->turn))
		return false;
	if (rec->in_output && tw_time__now(CLOCK_MONOTONIC) - rec->in_output >= STUCK_NS)
		return true;
	pthread_mutex_unlock(&rec->turn);
	return false;
}

bool tw_recorder__is_stuck(struct tw_recorder *rec)
{
	const bool is = recorder__stop_stuck(rec);

	if (is)
		pthread_mutex_unlock(&rec->turn);
	return is;
}

/*
 * Abandons a stuck thread: it is in a call of the output that cannot be ended. @rec is not freed, because the thread uses it when the call
 * returns; then the thread waits for rec->turn, which stays held.
 */
static void recorder__leave_behind(struct tw_recorder *rec)
{
	static struct tw_recorder *left;
	uint64_t frames = rec->missing + tw_slot_queue__frames(&rec->queue);

	for (const struct tw_slot *slot = rec->filled.first; slot; slot = slot->next)
		frames += tw_slot__frames(slot);
	rec->is_left = true;
	rec->next_left = left;
	left = rec;
	tw_error__set(
		&rec->error, -ETIMEDOUT,
		"writing %s: the disk does not respond; it is unknown which part of the last write is in the file, so "
		"the whole write counts as not written",
		rec->name);
	tw_archive__missing(rec->archive, frames);
	recorder__count_packets(rec);
	tw_archive__give_up(rec->archive, -ETIMEDOUT, &rec->error);
	tw_slot_queue__fail(&rec->queue, -ETIMEDOUT);
}

static struct timespec after_ms(unsigned int ms)
{
	return tw_time__timespec(tw_time__now(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS);
}

/* Waits for the end of the thread, at most TW_DEADLINE_SLICE_MS. Return: whether it has ended */
static bool recorder__wait(struct tw_recorder *rec)
{
	const struct timespec until = after_ms(TW_DEADLINE_SLICE_MS);
	bool ended;

	pthread_mutex_lock(&rec->lock);
	while (!rec->ended && !pthread_cond_clockwait(&rec->changed, &rec->lock, CLOCK_MONOTONIC, &until))
		;
	ended = rec->ended;
	pthread_mutex_unlock(&rec->lock);
	return ended;
}

/* Waits until all frames passed to the recorder are written and the thread has ended, or abandons a stuck thread. */
static void recorder__stop(struct tw_recorder *rec)
{
	if (!rec->has_thread)
		return;
	tw_slot_queue__end(&rec->queue);
	while (!rec->is_left && !recorder__wait(rec)) {
		if (recorder__stop_stuck(rec))
			recorder__leave_behind(rec);
	}
	if (!rec->is_left)
		pthread_join(rec->thread, NULL);
	rec->has_thread = false;
}

const char *tw_recorder__gone(struct tw_recorder *rec, size_t i)
{
	const char *gone;

	pthread_mutex_lock(&rec->lock);
	gone = rec->gone[i];
	pthread_mutex_unlock(&rec->lock);
	return gone;
}

void tw_recorder__missing(struct tw_recorder *rec, uint64_t frames)
{
	pthread_mutex_lock(&rec->lock);
	rec->missing += frames;
	pthread_mutex_unlock(&rec->lock);
}

/* Return: 0, or the writer's failure with its text in @error; called by any thread */
static int recorder__error(struct tw_recorder *rec, struct tw_error *error)
{
	int err;

	pthread_mutex_lock(&rec->queue.lock);
	err = rec->queue.err;
	pthread_mutex_unlock(&rec->queue.lock);
	pthread_mutex_lock(&rec->lock);
	if (err && error)
		*error = rec->error;
	pthread_mutex_unlock(&rec->lock);
	return err;
}

int tw_recorder__finish(struct tw_recorder *rec, struct tw_archive_stats *ret, struct tw_error *error)
{
	recorder__stop(rec);
	if (ret)
		tw_archive__stats(rec->archive, ret);
	return recorder__error(rec, error);
}

bool tw_recorder__is_full(const struct tw_recorder *rec)
{
	return atomic_load_explicit(&rec->full, memory_order_relaxed);
}

void tw_recorder__answer(struct tw_recorder *rec, uint64_t stream_id, const struct tw_time_sync_sample *sample)
{
	struct command_queue *queue = &rec->commands;
	const uint32_t at = atomic_load_explicit(&queue->written, memory_order_relaxed);

	if (at - atomic_load_explicit(&queue->read, memory_order_acquire) == ANSWERS_MAX)
		return;
	queue->answers[at % ANSWERS_MAX] = (struct clock_answer){ stream_id, *sample };
	atomic_store_explicit(&queue->written, at + 1, memory_order_release);
}

void tw_recorder__own_clock(struct tw_recorder *rec, const struct tw_own_clock *own)
{
	pthread_mutex_lock(&rec->commands.lock);
	rec->commands.own = *own;
	rec->commands.has_own = true;
	pthread_mutex_unlock(&rec->commands.lock);
}

size_t tw_recorder__reports(struct tw_recorder *rec, unsigned int timeout_ms, struct tw_archive_report **ret,
			    struct tw_archive_stats *ret_stats)
{
	const struct timespec until = after_ms(timeout_ms);
	struct command_queue *queue = &rec->commands;
	size_t n;

	pthread_mutex_lock(&queue->lock);
	queue->wanted = true;
	while (queue->wanted && !pthread_cond_clockwait(&queue->reported, &queue->lock, CLOCK_MONOTONIC, &until))
		;
	n = queue->wanted ? 0 : queue->n_reports;
	*ret = NULL;
	if (!queue->wanted) {
		*ret = queue->reports;
		queue->reports = NULL;
	}
	if (n)
		*ret_stats = queue->stats;
	queue->wanted = false;
	pthread_mutex_unlock(&queue->lock);
	return n;
}

uint64_t tw_recorder__progress(const struct tw_recorder *rec)
{
	return atomic_load_explicit(&rec->rounds, memory_order_relaxed);
}

const struct tw_archive *tw_recorder__archive(const struct tw_recorder *rec)
{
	return rec->archive;
}

int tw_recorder__tid(const struct tw_recorder *rec)
{
	return rec->tid;
}

void tw_recorder__free(struct tw_recorder *rec)
{
	if (!rec)
		return;
	recorder__stop(rec);
	if (rec->is_left)
		return;
	tw_archive__free(rec->archive); /* before the queue, because the archive returns borrowed slots to the queue */
	tw_packet_capture__close(rec->packets);
	if (rec->has_queue)
		tw_slot_queue__fini(&rec->queue);
	tw_output__free(rec->output);
	pthread_cond_destroy(&rec->commands.reported);
	pthread_mutex_destroy(&rec->commands.lock);
	free(rec->commands.reports);
	pthread_cond_destroy(&rec->changed);
	pthread_mutex_destroy(&rec->lock);
	pthread_mutex_destroy(&rec->turn);
	free(rec);
}

int tw_recorder__sink(struct tw_recorder *rec, struct tw_sink **ret, struct tw_error *error)
{
	const uint32_t frame_max = rec->slot_bytes < TW_FRAME_MAX ? rec->slot_bytes : TW_FRAME_MAX;

	*ret = tw_slot_sink__new(&rec->queue, rec->batch, frame_max);
	return *ret ? 0 : tw_error__set(error, -ENOMEM, "writing %s: no memory", rec->name);
}

int tw_recorder__receive_queue(struct tw_recorder *rec, struct tw_receive_queue **ret, struct tw_error *error)
{
	*ret = tw_receive_queue__new(&rec->queue);
	return *ret ? 0 : tw_error__set(error, -ENOMEM, "writing %s: no memory", rec->name);
}
