/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_tool write PATH PACKETS [KEY=NUMBER ...]: writes numbered packets into files, with only the writer and the output. The keys are
 * members of struct tw_output_options; pace, the us to sleep between packets; and progress. With progress=1, the number of committed
 * packets is kept in the file PATH.progress, which remains if the process is killed. Each packet has 100 bytes, and its number is its time
 * in us since 1970.
 *
 * output_tool repair PATH [KNOWN], output_tool left, output_tool newest PATH: call the repair functions of tw_output, and print a line for
 * each repaired file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/time.h"
#include "pcap-tools/output/repair.h"
#include "pcap-tools/pcapng/writer.h"

#define LEN      100
#define FLUSH_NS (100 * TW_NS_PER_MS)

static const struct tw_pcapng_section section = { .application = "output_tool" };
static const struct tw_pcapng_interface interface = { .name = "numbers", .linktype = TW_LINKTYPE_ETHERNET };

static int fail(int code, const struct tw_error *err)
{
	if (code)
		fprintf(stderr, "error %d: %s\n", code, err->text);
	return code ? 1 : 0;
}

static uint64_t pace, progresses, no_progress, *progress = &no_progress;

static bool set_number(struct tw_output_options *options, const char *text)
{
	const struct {
		const char *key;
		uint64_t *to;
	} keys[] = {
		{ "file_bytes=", &options->file_bytes },
		{ "file_packets=", &options->file_packets },
		{ "file_ns=", &options->file_ns },
		{ "interval_ns=", &options->interval_ns },
		{ "pace=", &pace },
		{ "progress=", &progresses },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strncmp(text, keys[i].key, strlen(keys[i].key))) {
			*keys[i].to = strtoull(text + strlen(keys[i].key), NULL, 0);
			return true;
		}
	}
	if (!strncmp(text, "files_max=", 10))
		options->files_max = (uint32_t)strtoul(text + 10, NULL, 0);
	options->remember |= !strcmp(text, "remember=1");
	return !strncmp(text, "files_max=", 10) || options->remember;
}

static int put(struct tw_pcapng *w, uint32_t id, uint64_t number)
{
	static uint64_t noise = 1;
	uint8_t *p = tw_pcapng__reserve(w, LEN);

	if (!p)
		return tw_pcapng__error(w, NULL);
	memset(p, 0, LEN);
	memcpy(p + 14, &number, sizeof(number));
	for (size_t i = 60; i < LEN; i++) { /* incompressible data */
		noise = noise * 6364136223846793005u + 1442695040888963407u;
		p[i] = (uint8_t)(noise >> 56);
	}
	tw_pcapng__commit(w, id, number * 1000, LEN, LEN, 0);
	return 0;
}

/* Write packets as an archive does: check after each packet whether the next file is due; check the time only after a flush. */
static int write_packets(struct tw_pcapng *w, uint64_t n)
{
	uint64_t flushed = tw_time__now(CLOCK_MONOTONIC);
	uint32_t id;
	int code = tw_pcapng__interface(w, &interface, &id);

	for (uint64_t i = 0; i < n && !code; i++) {
		const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
		const bool flush = now - flushed >= FLUSH_NS;

		code = put(w, id, i);
		*progress = i + 1;
		if (!code && flush) {
			code = tw_pcapng__flush(w);
			flushed = now;
		}
		if (!code && tw_pcapng__is_due(w, flush ? now : 0)) {
			code = tw_pcapng__next_file(w, &section);
			code = code ? code : tw_pcapng__interface(w, &interface, &id);
		}
		if (pace)
			usleep((useconds_t)pace);
	}
	return code ? code : tw_pcapng__flush(w);
}

static bool share_progress(const char *path)
{
	char name[4096];
	void *shared;
	int fd;

	snprintf(name, sizeof(name), "%s.progress", path);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*progress)))
		return false;
	shared = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return false;
	progress = shared;
	return true;
}

static int write_files(int argc, char **argv)
{
	struct tw_output_options options = { .path = argv[0] };
	struct tw_output_stats stats;
	struct tw_output *output;
	struct tw_pcapng *w;
	struct tw_error err;
	int code;

	for (int i = 2; i < argc; i++)
		if (!set_number(&options, argv[i]))
			return 2;
	if (progresses && !share_progress(options.path))
		return 2;
	code = tw_output__open(&options, &output, &err);
	if (code)
		return fail(code, &err);
	code = tw_pcapng__open(output, 0, &section, &w, &err);
	if (code)
		return fail(code, &err);
	code = write_packets(w, strtoull(argv[1], NULL, 0));
	if (!tw_pcapng__error(w, &err))
		code = tw_output__finish(output, &err);
	stats = *tw_output__stats(output);
	printf("bytes=%" PRIu64 " files=%" PRIu64 " removed=%" PRIu64 " early=%" PRIu64 " unwritten=%" PRIu64 "\n",
	       stats.bytes, stats.files, stats.removed, stats.removed_early, tw_pcapng__dropped(w));
	tw_pcapng__close(w);
	tw_output__free(output);
	return fail(code, &err);
}

static void tell(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	(void)ctx;
	printf("%s cut=%" PRIu64 " closed=%d%s%s\n", path, repair->cut, repair->closed, why ? " " : "", why ? why : "");
}

static int repair_file(int argc, char **argv)
{
	struct tw_repair repair;
	struct tw_error err;
	const int code = tw_output__repair(argv[0], argc > 1 ? strtoull(argv[1], NULL, 0) : 0, false, &repair, &err);

	if (!code)
		tell(NULL, argv[0], &repair, NULL);
	return fail(code, &err);
}

int main(int argc, char **argv)
{
	struct tw_error err;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (argc > 3 && !strcmp(argv[1], "write"))
		return write_files(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "repair"))
		return repair_file(argc - 2, argv + 2);
	if (argc == 2 && !strcmp(argv[1], "left"))
		return fail(tw_output__repair_left(false, tell, NULL, &err), &err);
	if (argc == 3 && !strcmp(argv[1], "newest")) {
		tw_output__repair_newest(argv[2], tell, NULL);
		return 0;
	}
	return 2;
}
