/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading a program: its instructions get their maps, the callback of bpf_loop() gets its type, and libxdp accepts the opened object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <string.h>
#include <unistd.h>

#include "filter/bpf/program.h"
#include "namespace.h"
#include "xdp/attach.h"
#include "xdp/classifier.h"
#include "xdp/load.h"
#include "xdp/tc.h"

#define INSN(op, dst, src, offset, value)                                                                  \
	{                                                                                                  \
		.code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (int32_t)(value) \
	}
#define MOV(dst, value)      INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define MOV_REG(dst, src)    INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define ADD(dst, value)      INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define STORE(dst, off, val) INSN(BPF_ST | BPF_MEM | BPF_W, dst, 0, off, val)
#define CALL(helper)         INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define EXIT                 INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define MAP                  INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, 0), INSN(0, 0, 0, 0, 0)
#define FUNCTION(dst, to)    INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_FUNC, 0, to), INSN(0, 0, 0, 0, 0)

/* A program that looks up its blank entry, and calls a function three times. It passes the packet if both succeeded. */
static struct bpf_insn looping[] = {
	STORE(BPF_REG_10, -4, 0),                            /*  0 */
	MAP,                                                 /*  1 */
	MOV_REG(BPF_REG_2, BPF_REG_10),                      /*  3 */
	ADD(BPF_REG_2, -4),                                  /*  4 */
	CALL(BPF_FUNC_map_lookup_elem),                      /*  5 */
	INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 9, 0), /* 6, to 16 */
	MOV(BPF_REG_1, 3),                                   /*  7 */
	FUNCTION(BPF_REG_2, 18 - 8 - 1),                     /*  8 */
	MOV_REG(BPF_REG_3, BPF_REG_10),                      /* 10 */
	MOV(BPF_REG_4, 0),                                   /* 11 */
	CALL(BPF_FUNC_loop),                                 /* 12 */
	INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 3), /* 13, to 16 */
	MOV(BPF_REG_0, XDP_PASS),                            /* 14 */
	EXIT,                                                /* 15 */
	MOV(BPF_REG_0, XDP_DROP),                            /* 16 */
	EXIT,                                                /* 17 */
	MOV(BPF_REG_0, 0),                                   /* 18: the function */
	EXIT,                                                /* 19 */
};

static struct tw_bpf_map_use uses[] = { { .insn = 1, .map = TW_MAP_BLANK } };

static const struct tw_bpf_program code = {
	.insns = looping,
	.n = sizeof(looping) / sizeof(looping[0]),
	.record_function = 18,
	.map_uses = uses,
	.n_map_uses = 1,
};

#define ROWS 9

static struct tw_maps made_maps(void)
{
	struct tw_maps maps;
	struct tw_error err = { "" };

	if (tw_maps__make(&maps, ROWS, 0, &err))
		fail_msg("%s", err.text);
	return maps;
}

static struct tw_loaded loaded_as(uint8_t hook, const struct tw_maps *maps)
{
	const struct tw_load_options options = { .code = &code, .maps = maps, .hook = hook };
	struct tw_loaded loaded;
	struct tw_error err = { "" };

	if (tw_loaded__load(&options, &loaded, &err))
		fail_msg("%s", err.text);
	return loaded;
}

static uint32_t verdict(int program)
{
	uint8_t frame[ETH_HLEN + 64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);

	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
	return opts.retval;
}

static uint32_t id_of(int program)
{
	uint32_t id;

	assert_int_equal(tw_program__id(program, &id, NULL), 0);
	return id;
}

static void maps_and_callback(void **state)
{
	static const uint8_t hooks[] = { TW_HOOK_XDP, TW_HOOK_TC };
	struct tw_maps maps = made_maps();
	char name[BPF_OBJ_NAME_LEN];
	struct tw_loaded loaded;

	(void)state;
	for (size_t i = 0; i < sizeof(hooks); i++) {
		loaded = loaded_as(hooks[i], &maps);
		tw_program__name_of(id_of(tw_loaded__fd(&loaded)), name);
		assert_string_equal(name, TW_PROGRAM_NAME);
		assert_int_equal(verdict(tw_loaded__fd(&loaded)), XDP_PASS);
		tw_loaded__fini(&loaded);
	}
	tw_maps__fini(&maps);
}

static void bad_programs_are_refused(void **state)
{
	struct tw_maps maps = made_maps();
	const struct tw_bpf_program bad = { .insns = &looping[12], .n = 6 }; /* reads uninitialised registers */
	const struct tw_load_options options = { .code = &bad, .maps = &maps, .hook = TW_HOOK_XDP };
	struct tw_loaded loaded;
	struct tw_error err = { "" };

	(void)state;
	assert_true(tw_loaded__load(&options, &loaded, &err) < 0);
	assert_non_null(strstr(err.text, "the kernel refuses the program of 6 instructions: "));
	assert_non_null(strstr(err.text, "!read_ok"));
	tw_loaded__fini(&loaded);
	tw_maps__fini(&maps);
}

static void ignore(const struct tcmsg *head, struct nlattr *const *attrs, void *ctx)
{
	(void)head, (void)attrs, (void)ctx;
}

/* A request that cannot be sent is an error, not an empty answer. */
static void an_unconnected_socket_is_an_error(void **state)
{
	const struct tw_tc_at at = { .ifindex = 1, .parent = TW_TC_INGRESS };
	const struct tw_state lo = { .public = { .ifindex = 1, .ifname = "lo" } };
	struct nl_sock *sk = nl_socket_alloc();
	struct tw_answer answer;
	struct tw_error err;

	(void)state;
	assert_non_null(sk);
	assert_int_equal(tw_filters__each(sk, &lo, 0, ignore, NULL, &err), -EIO);
	assert_string_equal(err.text, "cannot list the tc filters of lo: Bad socket");
	assert_int_equal(tw_tc__ask(sk, tw_tc__message(RTM_NEWTFILTER, 0, &at, "u32"), &answer), -EIO);
	assert_int_equal(answer.err, -EIO);
	nl_socket_free(sk);
}

static struct tw_state state_on(const char *ifname)
{
	const struct tw_classifier_options options = { .ifname = ifname, .place = TW_ATTACH_XDP };
	struct tw_state state;
	struct tw_error err = { "" };

	if (tw_state__init(&state, &options, &err))
		fail_msg("%s", err.text);
	return state;
}

static void a_link_holds_it(void **state)
{
	struct tw_state s = state_on("v0");
	struct tw_maps maps = made_maps();
	struct tw_loaded first = loaded_as(TW_HOOK_XDP, &maps), second = loaded_as(TW_HOOK_XDP, &maps);
	struct tw_error err = { "" };
	int link = -1;

	(void)state;
	assert_int_equal(tw_xdp__plan(&s, &err), 0);
	assert_int_equal(tw_xdp__hold(&s, tw_loaded__fd(&first), &link, &err), 0);
	s.public.program = id_of(tw_loaded__fd(&first));
	assert_int_equal(tw_xdp__mode(&s, NULL), TW_MODE_NATIVE);
	assert_int_equal(tw_xdp__hold(&s, tw_loaded__fd(&second), &link, &err), 0);
	assert_int_equal(tw_xdp__mode(&s, NULL), TW_MODE_NONE);
	s.public.program = id_of(tw_loaded__fd(&second));
	assert_int_equal(tw_xdp__mode(&s, NULL), TW_MODE_NATIVE);
	assert_int_equal(tw_xdp__plan(&s, &err), -EEXIST); /* whoever owns the program */
	close(link);
	assert_int_equal(tw_xdp__mode(&s, NULL), TW_MODE_NONE);
	assert_int_equal(tw_xdp__plan(&s, &err), 0);
	tw_loaded__fini(&first);
	tw_loaded__fini(&second);
	tw_maps__fini(&maps);
}

/* A permanent program is attached by libxdp: with a dispatcher, or alone if the kernel or a missing directory prevents a dispatcher. */
static void libxdp_leaves_it(void **state)
{
	struct tw_state s = state_on("v0");
	struct tw_maps maps = made_maps();
	const struct tw_load_options options = { .code = &code, .maps = &maps, .hook = TW_HOOK_XDP };
	struct tw_loaded loaded;
	struct tw_error err = { "" };

	(void)state;
	s.public.persist = true;
	assert_int_equal(tw_loaded__open(&options, &loaded, &err), 0);
	if (tw_xdp__leave(&s, &loaded, &s.public.program, &err))
		fail_msg("%s", err.text);
	tw_loaded__fini(&loaded);
	print_message("%s\n", tw_mode__text((uint8_t)tw_xdp__mode(&s, NULL)));
	assert_true(tw_xdp__mode(&s, NULL) == TW_MODE_NATIVE || tw_xdp__mode(&s, NULL) == TW_MODE_DISPATCHER);
	assert_int_equal(tw_xdp__detach(&s, &err), 0);
	assert_int_equal(tw_xdp__mode(&s, NULL), TW_MODE_NONE);
	assert_string_equal(shell__word("ip -o link show v0 | grep -o 'prog/xdp'"), "");
	tw_maps__fini(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(maps_and_callback, namespace__setup),
		cmocka_unit_test_setup(bad_programs_are_refused, namespace__setup),
		cmocka_unit_test_setup(an_unconnected_socket_is_an_error, namespace__setup),
		cmocka_unit_test_setup(a_link_holds_it, namespace__setup),
		cmocka_unit_test_setup(libxdp_leaves_it, namespace__setup),
	};
	const int guard = namespace__guard();

	return guard ? guard : cmocka_run_group_tests(tests, NULL, NULL);
}
