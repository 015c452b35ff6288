/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of `tracewire report --summary`. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/count_table.h"
#include "cli/report/report.h"

static int print_text(const struct tw_report_counts *counts, const struct count_table *events,
		      const struct count_table *tasks, FILE *file, struct tw_error *error)
{
	int err;

	fprintf(file, "events   %" PRIu64, counts->events.total);
	if (events->duration_ns)
		fprintf(file, " in %.9f s, %.1f a second", (double)events->duration_ns / (double)TW_NS_PER_SECOND,
			(double)counts->events.total * (double)TW_NS_PER_SECOND / (double)events->duration_ns);
	fputs("\n\n", file);
	err = count_table__print(events, file, error);
	fputc('\n', file);
	return err ? err : count_table__print(tasks, file, error);
}

static int print_json(const struct tw_report_counts *counts, const struct count_table *events,
		      const struct count_table *tasks, FILE *file, struct tw_error *error)
{
	struct tw_json json;
	int err;

	tw_json__to_file(&json, file, false);
	tw_json__open(&json, NULL, '{');
	tw_json__u64(&json, "count", counts->events.total);
	if (counts->span.is_unknown)
		tw_json__null(&json, "duration_ns");
	else
		tw_json__u64(&json, "duration_ns", events->duration_ns);
	err = count_table__json(events, "event_counts", &json, error);
	if (!err)
		err = count_table__json(tasks, "task_counts", &json, error);
	tw_json__close(&json);
	return err;
}

/* Closes the file. @err: the result so far. Return: @err if it is not 0; otherwise 0, or -errno with @error filled if a write failed */
static int close_file(FILE *file, int err, struct tw_error *error)
{
	int later = 0;

	errno = 0;
	if (fflush(file) || ferror(file))
		later = errno ? errno : EIO; /* an earlier write() failed, and its errno is lost */
	if (fclose(file) && !later)
		later = errno;
	if (err || !later)
		return err;
	return tw_error__set(error, -later, "printing the summary failed: %s", strerror(later));
}

int report__print_counts(const struct report_config *config, const struct tw_report_counts *counts, int out,
			 struct tw_error *error)
{
	const uint64_t duration = tw_report_counts__ns(counts);
	const struct count_table events = { &counts->events, "event", .duration_ns = duration };
	const struct count_table tasks = { &counts->tasks,
					   "comm",
					   .duration_ns = duration,
					   .has_pid = true,
					   .streams = counts->streams,
					   .n_streams = counts->n_streams };
	const int fd = fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!file) {
		err = tw_error__set(error, -errno, "the summary cannot be printed: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = config->format == REPORT_JSON ? print_json(counts, &events, &tasks, file, error)
					    : print_text(counts, &events, &tasks, file, error);
	return close_file(file, err, error);
}
