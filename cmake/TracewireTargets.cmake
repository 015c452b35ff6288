# SPDX-License-Identifier: GPL-2.0-or-later
# Settings of every target of the project: one interface target, linked by tracewire_library() and similar functions.

add_library(tracewire_common INTERFACE)
target_compile_features(tracewire_common INTERFACE c_std_17)
target_compile_options(tracewire_common INTERFACE -Wall -Wextra -Wshadow -Wconversion)
target_compile_definitions(tracewire_common INTERFACE _GNU_SOURCE TRACEWIRE_VERSION="${PROJECT_VERSION}")
target_include_directories(tracewire_common INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
if(TRACEWIRE_SANITIZE)
	target_compile_options(tracewire_common INTERFACE -fsanitize=${TRACEWIRE_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(tracewire_common INTERFACE -fsanitize=${TRACEWIRE_SANITIZE})
endif()
if(TRACEWIRE_FUZZ)
	# The libraries are instrumented for coverage too, not only the target itself.
	target_compile_options(tracewire_common INTERFACE -fsanitize=fuzzer-no-link)
	add_custom_target(fuzzers)
endif()

# tracewire_library(NAME SOURCES ... [PUBLIC libs ...] [PRIVATE libs ...]): one room, a static library that a plugin may link.
function(tracewire_library name)
	cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
	add_library(${name} STATIC ${ARG_SOURCES})
	set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
	target_link_libraries(${name} PUBLIC tracewire_common ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# tracewire_test(NAME name [CONFIGURATIONS ...] COMMAND target-or-program [ARG...]): like add_test(). The test fails if it leaves anything
# behind, or takes longer than 15 minutes. The property TIMEOUT of the test can be set to another limit.
function(tracewire_test)
	cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "CONFIGURATIONS;COMMAND")
	list(POP_FRONT ARG_COMMAND program)
	if(TARGET ${program})
		set(program $<TARGET_FILE:${program}>)
	endif()
	if(ARG_CONFIGURATIONS)
		list(PREPEND ARG_CONFIGURATIONS CONFIGURATIONS)
	endif()
	add_test(NAME ${ARG_NAME} ${ARG_CONFIGURATIONS} COMMAND ${PROJECT_SOURCE_DIR}/scripts/left-behind --beside ${program} ${ARG_COMMAND})
	set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT 900)
endfunction()

# tracewire_unit_test(NAME SOURCES ... LIBS ...): a cmocka program, run by CTest under the label `unit`.
function(tracewire_unit_test name)
	cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
	find_package(PkgConfig REQUIRED)
	pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET GLOBAL cmocka)
	add_executable(${name} ${ARG_SOURCES})
	target_link_libraries(${name} PRIVATE tracewire_common ${ARG_LIBS} PkgConfig::CMOCKA)
	target_compile_definitions(${name} PRIVATE TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
	tracewire_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES LABELS unit)
endfunction()

# tracewire_failing_memory(NAME): the unit test can make an allocation fail (tests/failing_memory.h).
function(tracewire_failing_memory name)
	target_link_options(${name} PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc)
endfunction()

# tracewire_threaded(TEST TARGET ...): a test with several threads, and its programs. The preset tsan builds and runs only these.
add_custom_target(threaded)
function(tracewire_threaded test)
	set_property(TEST ${test} APPEND PROPERTY LABELS tsan)
	add_dependencies(threaded ${ARGN})
endfunction()

# tracewire_seeds(NAME SOURCE [LIBS ...]): a program that writes seeds of a fuzzer to the given directory; run in the build.
function(tracewire_seeds name source)
	cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.inputs)
	add_executable(${name} ${source})
	target_link_libraries(${name} PRIVATE tracewire_common ${ARG_LIBS})
	add_custom_command(OUTPUT ${folder}.made
		COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
		COMMAND ${name} ${folder}
		COMMAND ${CMAKE_COMMAND} -E touch ${folder}.made
		DEPENDS ${name})
	add_custom_target(${name}_made ALL DEPENDS ${folder}.made)
	set_target_properties(${name} PROPERTIES SEEDS_FOLDER ${folder})
endfunction()

# tracewire_fuzzer(NAME SOURCES ... LIBS ... [SEEDS dir ...] [MADE seeds ...] [MAX_LEN bytes]): a libFuzzer target. It starts with the
# directories of SEEDS and the output of the programs of MADE (tracewire_seeds()). Without TRACEWIRE_FUZZ, the same code replays these seeds
# as an ordinary test, with any compiler. MAX_LEN limits the size of inputs, for speed.
function(tracewire_fuzzer name)
	cmake_parse_arguments(ARG "" "MAX_LEN" "SOURCES;LIBS;SEEDS;MADE" ${ARGN})
	if(TRACEWIRE_FUZZ)
		add_executable(${name} ${ARG_SOURCES})
		add_dependencies(fuzzers ${name})
		target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
		target_link_options(${name} PRIVATE -fsanitize=fuzzer)
	else()
		add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz_replay.c)
	endif()
	target_link_libraries(${name} PRIVATE tracewire_common ${ARG_LIBS})
	foreach(made IN LISTS ARG_MADE)
		get_target_property(folder ${made} SEEDS_FOLDER)
		list(APPEND ARG_SEEDS ${folder})
		add_dependencies(${name} ${made}_made)
	endforeach()
	if(TRACEWIRE_FUZZ)
		if(NOT ARG_MAX_LEN)
			set(ARG_MAX_LEN 4096)
		endif()
		tracewire_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz-run.sh $<TARGET_FILE:${name}>
			${PROJECT_BINARY_DIR}/fuzz/${name} ${ARG_MAX_LEN} ${ARG_SEEDS})
		# fuzz-run.sh limits the time: libFuzzer ends the run at an input that hangs.
		set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 36000)
	else()
		tracewire_test(NAME ${name} COMMAND ${name} ${ARG_SEEDS})
		set_tests_properties(${name} PROPERTIES LABELS fuzz)
	endif()
endfunction()
