/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign INTERFACE OBJECT: attaches an XDP program with libxdp, as another owner would. The program stays attached. */
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <xdp/libxdp.h>

int main(int argc, char **argv)
{
	struct xdp_program *program;
	int error;

	if (argc < 3)
		return 2;
	program = xdp_program__open_file(argv[2], "xdp", NULL);
	error = (int)libxdp_get_error(program);
	if (!error) {
		error = xdp_program__attach(program, (int)if_nametoindex(argv[1]), XDP_MODE_NATIVE, 0);
		xdp_program__close(program);
	}
	if (error)
		fprintf(stderr, "cannot attach: %s\n", strerror(-error));
	return error ? 1 : 0;
}
