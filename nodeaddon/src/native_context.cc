#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../include/hotspan.h"
#include "thread_context.h"

extern "C" {
// The record of a thread that runs no JavaScript; 0 = none. (OpenTelemetry, OTEP 4947)
__attribute__((visibility("default"))) __thread const void *volatile otel_thread_ctx_v1;

extern const hotspan_functions hotspan_native_1;
}

namespace hotspan {
namespace {

struct Captured {
	hotspan_context head;
	int references;
	alignas(8) uint8_t record[];
};

Captured *Of(hotspan_context *c) { return reinterpret_cast<Captured *>(c); }

hotspan_context *Retain(Captured *c)
{
	if (!c)
		return nullptr;
	__atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
	return &c->head;
}

void Release(hotspan_context *context)
{
	if (!__atomic_sub_fetch(&Of(context)->references, 1, __ATOMIC_ACQ_REL))
		free(Of(context));
}

Captured *Entered()
{
	const void *record = otel_thread_ctx_v1;
	if (!record)
		return nullptr;
	return reinterpret_cast<Captured *>(static_cast<uint8_t *>(const_cast<void *>(record)) -
					    offsetof(Captured, record));
}

hotspan_context *Capture()
{
	if (!RunsJavaScript())
		return Retain(Entered());
	uint8_t record[kMostRecord];
	size_t length = CurrentRecord(record);
	Captured *c = length ? static_cast<Captured *>(malloc(sizeof(Captured) + length)) : nullptr;
	if (!c)
		return nullptr;
	c->head.by = &hotspan_native_1;
	c->references = 1;
	memcpy(c->record, record, length);
	return &c->head;
}

void Set(const void *record)
{
	__asm__ volatile("" ::: "memory"); // a reader that interrupts this thread finds the record whole
	otel_thread_ctx_v1 = record;
	__asm__ volatile("" ::: "memory");
}

void Enter(hotspan_scope *scope, hotspan_context *context)
{
	if (RunsJavaScript()) { // has its own contexts
		scope->entered = nullptr;
		return;
	}
	scope->before = otel_thread_ctx_v1;
	Retain(Of(context));
	Set(Of(context)->record);
}

void Leave(hotspan_scope *scope)
{
	Set(scope->before);
	Release(scope->entered);
}

} // namespace
} // namespace hotspan

extern "C" __attribute__((visibility("default"))) const hotspan_functions hotspan_native_1 = {
	hotspan::Capture, hotspan::Enter, hotspan::Leave, hotspan::Release};
