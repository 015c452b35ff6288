/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_by_hand FILE COMMAND... -- writes to FILE what the program written by hand at the callbacks of sockops records while the command
 * runs: for each message, when it was sent, passed to a device, sent by it, and acknowledged. The least that a recording can cost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/error.h"
#include "producer/bpf_kernel.h"
#include "sockets_by_hand.skel.h"

#define PAUSE_US 1000

static int write_record(void *file, void *record, size_t size)
{
	return fwrite(record, size, 1, file) == 1 ? 0 : -EIO;
}

/* Attaches the program until this process ends. Return: its ring */
static struct ring_buffer *attach(FILE *file)
{
	struct sockets_by_hand *hand = sockets_by_hand__open();
	const int cgroup = tw_cgroup__open_root(NULL);
	struct bpf_program *program;

	if (!hand || cgroup < 0)
		return NULL;
	bpf_object__for_each_program(program, hand->obj)
	{
		bpf_program__set_autoload(program, program == hand->progs.hand_tx);
	}
	if (sockets_by_hand__load(hand) || !bpf_program__attach_cgroup(hand->progs.hand_tx, cgroup))
		return NULL;
	return ring_buffer__new(bpf_map__fd(hand->maps.ring), write_record, file, NULL);
}

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[1], "we") : NULL;
	struct ring_buffer *ring = file ? attach(file) : NULL;
	pid_t command;
	int status;

	if (!ring) {
		fprintf(stderr, "record_by_hand: cannot record: %s\n", strerror(errno));
		return 1;
	}
	command = fork();
	if (!command) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (!waitpid(command, &status, WNOHANG)) {
		if (ring_buffer__consume(ring) < 0)
			return 1;
		usleep(PAUSE_US);
	}
	return ring_buffer__consume(ring) < 0 || fclose(file) || status;
}
