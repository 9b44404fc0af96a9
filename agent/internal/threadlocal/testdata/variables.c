// The variables of a library or of the program: compiled once for each way to access thread-local storage.
#include <stdint.h>

#ifndef FILLER
#define FILLER 0
#endif

// A block that is larger than what glibc keeps free for libraries that come later cannot be static.
__thread char filler[16 + FILLER];
__thread void *otel_thread_ctx_v1;
__thread struct { void *a, *b; uint64_t c, d; } otel_thread_ctx_nodejs_v1;

#ifndef NO_ACCESS
void *address_of_thread_context(void) { return &otel_thread_ctx_v1; }
void *address_of_node_context(void) { filler[1] = 1; return &otel_thread_ctx_nodejs_v1; }
#endif
