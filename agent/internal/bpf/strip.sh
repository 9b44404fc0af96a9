#!/bin/sh
# llvm-strip for bpf2go. Loaders do not read the relocations of types and of lines, a fifth of the object.
exec llvm-strip-19 -R .rel.BTF -R .rel.BTF.ext "$@"
