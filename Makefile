# SPDX-License-Identifier: GPL-2.0-or-later
# The user's targets. Their work is done by CMakeLists.txt, CMakePresets.json and scripts/.

handing_back = trap scripts/hand-back EXIT

all: ## build what gets installed, in build/release
	@scripts/setup
	@$(handing_back); scripts/build release

demo: ## kernel events in tshark, or a recorded sample where that cannot be
	@scripts/demo

test: ## build with gcc and clang, run every test
	@$(handing_back); scripts/test

test-vm: ## tracers of functions, classifiers, clocks and a producer on Debian's kernels 6.1, 6.12 and 7.3, downloaded, run in QEMU
	@scripts/setup
	@$(handing_back); scripts/build dev && ctest --preset dev -C vm -L vm -E _short

test-debian13: ## the demo and every test in a clean Debian 13, made by debootstrap below DEBIAN13_CACHE (/var/cache/tracewire)
	@scripts/setup debootstrap git
	@scripts/debian13 sh -c 'make demo && make test'

test-long: ## a capture killed at 200 random moments; SEED=N makes them those of an earlier run
	@scripts/setup
	@$(handing_back); scripts/build dev && ctest --preset dev -C long -L long

test-flaky: ## repeat tests in random order beside CPU hogs and a busy disk; options are in scripts/test-flaky
	@scripts/setup
	@$(handing_back); scripts/build dev && scripts/test-flaky

mutants: ## change N places of the product, one at a time, and print those that no test notices; options are in scripts/mutants
	@scripts/setup
	@$(handing_back); scripts/mutants

bench: all ## measure, beside the peers
	@$(handing_back); bench/run build/release

install: all ## install below DESTDIR and /usr
	@cmake --install build/release

fuzz: ## libFuzzer, 10 million runs a target; FUZZ_RUNS and FUZZ_SECONDS shorten it
	@scripts/setup
	@$(handing_back); scripts/build fuzz && FUZZ_RUNS=$${FUZZ_RUNS:-10000000} ctest --preset fuzz -L fuzz -j 2 && \
		cat build/fuzz/fuzz/*/figures

hostile: ## damaged files through tshark, report and convert with sanitizers, strangers' frames over UDP, captures that ask for too much
	@scripts/setup
	@$(handing_back); scripts/build dev && scripts/build asan-ubsan && export HOSTILE_FRAMES=$${HOSTILE_FRAMES:-200000} \
		HOSTILE_FILES=$${HOSTILE_FILES:-200} && \
		ctest --preset asan-ubsan -L hostile -V && ctest --preset dev -L hostile -V

threads: ## the tests in which threads meet, with ThreadSanitizer
	@scripts/setup
	@$(handing_back); scripts/build tsan && ctest --preset tsan

format-check: ## clang-format and .clang-format agree with every source
	@git ls-files -z '*.[ch]' | xargs -0 clang-format --dry-run -Werror

tidy: ## clang-tidy over what the dev preset builds
	@scripts/build dev
	@git ls-files -z '*.c' ':!*.bpf.c' | xargs -0 clang-tidy -p build/dev --quiet

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.* ## /  make \1: /p' Makefile

.PHONY: all demo test test-vm test-debian13 test-long test-flaky mutants bench install fuzz hostile threads format-check tidy help
