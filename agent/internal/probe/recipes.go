package probe

// recipes are lists of probes that have a name.
var recipes = map[string][]string{
	"exec": {"uprobe::uv_spawn"},
	"file": {"syscall:open", "syscall:openat", "syscall:openat2", "syscall:creat"},
	"gc":   {"uprobe::v8::internal::Heap::CollectGarbage"},
	"malloc": {
		"uprobe:libc.so.6:malloc,value=arg0,unit=bytes", "uprobe:libc.so.6:calloc,value=arg0*arg1,unit=bytes",
		"uprobe:libc.so.6:realloc,value=arg1,unit=bytes",
	},
	// Node 18 has only the latter.
	"throw": {"uprobe::v8::internal::Isolate::Throw|v8::internal::Isolate::ThrowInternal"},
}

// expand replaces names of recipes by their probes.
func expand(texts []string) (out []string) {
	for _, text := range texts {
		if list, ok := recipes[text]; ok {
			out = append(out, list...)
		} else {
			out = append(out, text)
		}
	}
	return out
}
