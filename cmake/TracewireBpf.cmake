# SPDX-License-Identifier: GPL-2.0-or-later
# BPF objects: always compiled by clang; their skeletons are generated in the build directory.

find_program(TRACEWIRE_BPF_CLANG clang DOC "clang that compiles BPF objects" REQUIRED)
find_program(TRACEWIRE_LLVM_STRIP llvm-strip DOC "takes DWARF out of BPF objects and leaves BTF" REQUIRED)
find_program(TRACEWIRE_BPFTOOL bpftool HINTS /usr/sbin DOC "makes skeletons" REQUIRED)

# tracewire_bpf_object(NAME SOURCE...): a target to link; its users include NAME.skel.h. The objects of several sources are linked.
function(tracewire_bpf_object name)
	find_package(PkgConfig REQUIRED)
	pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET GLOBAL libbpf)
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf)
	set(object ${folder}/${name}.bpf.o)
	set(skeleton ${folder}/${name}.skel.h)
	set(parts)
	file(MAKE_DIRECTORY ${folder})
	foreach(source ${ARGN})
		get_filename_component(source ${source} ABSOLUTE)
		get_filename_component(part ${source} NAME_WE)
		set(part ${folder}/${part}.part.o)
		list(APPEND parts ${part})
		add_custom_command(OUTPUT ${part}
			COMMAND ${TRACEWIRE_BPF_CLANG} -target bpf -mcpu=v3 -ffreestanding -g -O2 -Wall -Wextra -Wshadow
				-I${PROJECT_SOURCE_DIR} -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
				-MD -MF ${part}.d -c ${source} -o ${part}
			COMMAND ${TRACEWIRE_LLVM_STRIP} -g ${part}
			DEPENDS ${source}
			DEPFILE ${part}.d
			COMMENT "Building BPF object ${part}"
			VERBATIM)
	endforeach()
	add_custom_command(OUTPUT ${object}
		COMMAND ${TRACEWIRE_BPFTOOL} gen object ${object} ${parts}
		DEPENDS ${parts}
		VERBATIM)
	add_custom_command(OUTPUT ${skeleton}
		COMMAND sh -c "\"$1\" gen skeleton \"$2\" name \"$3\" > \"$4.new\" && mv \"$4.new\" \"$4\"" sh
			${TRACEWIRE_BPFTOOL} ${object} ${name} ${skeleton}
		DEPENDS ${object}
		VERBATIM)
	add_custom_target(${name}_skeleton DEPENDS ${skeleton})
	add_library(${name} INTERFACE)
	add_dependencies(${name} ${name}_skeleton)
	target_include_directories(${name} SYSTEM INTERFACE ${folder})
	target_link_libraries(${name} INTERFACE PkgConfig::LIBBPF)
endfunction()
