package probe

import (
	"slices"
	"strings"
)

// recipes are lists of probes that have a name.
var recipes = map[string][]string{
	"exec": {"uprobe::uv_spawn"},
	"file": slices.Concat(
		[]string{"syscall:open", "syscall:openat", "syscall:openat2", "syscall:creat"},
		bytesOf("read", "pread64", "readv", "preadv", "preadv2"),
		bytesOf("write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range"),
	),
	"gc": {"uprobe::v8::internal::Heap::CollectGarbage"},
	"malloc": {
		"uprobe:libc.so.6:malloc,value=arg0,unit=bytes", "uprobe:libc.so.6:calloc,value=arg0*arg1,unit=bytes",
		"uprobe:libc.so.6:realloc,value=arg1,unit=bytes",
	},
	// Node 18 has only the latter.
	"throw": {"uprobe::v8::internal::Isolate::Throw|v8::internal::Isolate::ThrowInternal"},
}

// bytesOf returns probes that count the bytes which system calls read, write or copy, where their first argument is a
// descriptor of a file.
func bytesOf(calls ...string) (out []string) {
	for _, name := range calls {
		out = append(out, "syscall:"+name+",value=ret,unit=bytes,if=file")
	}
	return out
}

// expand replaces names of recipes by their probes, to each of which it adds the options behind the name.
func expand(texts []string) (out []string) {
	for _, text := range texts {
		name, options := cutOptions(text)
		list, ok := recipes[name]
		if !ok {
			out = append(out, text)
		}
		for _, probe := range list {
			out = append(out, strings.Join(append([]string{probe}, options...), ","))
		}
	}
	return out
}
