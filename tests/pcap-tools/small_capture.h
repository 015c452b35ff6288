/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small captures as tw_output writes them, for tests of truncated captures. Failures abort the program. */
#ifndef TEST_SMALL_CAPTURE_H
#define TEST_SMALL_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pcap-tools/pcapng/writer.h"

#define SMALL_WRITES_MAX 32

struct small_capture {
	char path[64];
	uint8_t bytes[65536];
	size_t size;                     /* size of the finished file, including the end of its zstd frame */
	size_t writes[SMALL_WRITES_MAX]; /* sizes of the file after each write */
	size_t n_writes;
};

static inline void small__must(int holds)
{
	if (!holds)
		abort();
}

static inline void small__read(struct small_capture *c)
{
	FILE *f = fopen(c->path, "rb");

	small__must(f != NULL);
	c->size = fread(c->bytes, 1, sizeof(c->bytes), f);
	small__must(c->size < sizeof(c->bytes) && !fclose(f));
}

static inline void small__write(struct small_capture *c, struct tw_pcapng *w)
{
	struct stat st;

	small__must(!tw_pcapng__flush(w) && !stat(c->path, &st));
	c->writes[c->n_writes++] = (size_t)st.st_size;
}

static inline void small__packet(struct tw_pcapng *w, uint32_t id, unsigned int i)
{
	const size_t len = 14 + i * 7 % 61;
	uint8_t *p = tw_pcapng__reserve(w, len);

	small__must(p != NULL);
	memset(p, 0x55, len);
	for (size_t k = 0; k < len; k += 3)
		p[k] = (uint8_t)(i * 31 + k * k);
	tw_pcapng__commit(w, id, 1000 * i, len, len, 0);
}

/* @name: x.pcapng or x.pcapng.zst, in a temporary directory */
static inline void small_capture__make(struct small_capture *c, const char *name, unsigned int writes,
				       unsigned int packets)
{
	const struct tw_pcapng_section section = { .application = "a test" };
	const struct tw_pcapng_interface interface = { .name = "one", .linktype = TW_LINKTYPE_ETHERNET };
	char folder[] = "/tmp/small-capture-XXXXXX";
	struct tw_output_options options = { .path = c->path };
	struct tw_output *output;
	struct tw_pcapng *w;
	uint32_t id;

	memset(c, 0, sizeof(*c));
	small__must(mkdtemp(folder) != NULL);
	snprintf(c->path, sizeof(c->path), "%s/%s", folder, name);
	small__must(!tw_output__open(&options, &output, NULL) && !tw_pcapng__open(output, 0, &section, &w, NULL) &&
		    !tw_pcapng__interface(w, &interface, &id));
	for (unsigned int i = 0; i < writes; i++) {
		for (unsigned int k = 0; k < packets; k++)
			small__packet(w, id, i * packets + k);
		small__write(c, w);
	}
	small__must(!tw_output__finish(output, NULL));
	tw_pcapng__close(w);
	tw_output__free(output);
	small__read(c);
	unlink(c->path);
	rmdir(folder);
}

#endif
