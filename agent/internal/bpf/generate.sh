#!/bin/sh
# Compiles hotspan.bpf.c and generates its Go mirrors; go generate runs this. The mirrors of enums, and of what the maps
# hold, need no flag. Structs are listed so that fields which hold them have their types. The BPF programs read the
# registers of x86-64. The mirrors are there on every little-endian machine, so that Go code is type-checked there too.
# To have the lines of the source in the log of the verifier, leave out nolines, and the flag for columns.
set -e
go tool bpf2go -cc clang-19 -strip ./strip.sh -target bpfel \
	-type sample -type frame -type lifecycle -type context_record -type job_object \
	-type process -type v8_layout -type uv_pool -type mapping -type place -type published \
	-type node -type edge -type name \
	hotspan hotspan.bpf.c -- -gno-column-info -Wall -Werror -D__TARGET_ARCH_x86 -I/usr/include/x86_64-linux-gnu
go run ./nolines hotspan_bpfel.o
# What the binary has.
go run ./compress hotspan_bpfel.o
