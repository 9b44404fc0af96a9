// Accesses the variables of another file.
#include <stdint.h>

extern __thread void *otel_thread_ctx_v1;
extern __thread struct { void *a, *b; uint64_t c, d; } otel_thread_ctx_nodejs_v1;

void *address_of_thread_context(void) { return &otel_thread_ctx_v1; }
void *address_of_node_context(void) { return &otel_thread_ctx_nodejs_v1; }
