// Contexts for readers outside the process: each is an object with the address of a record in its internal field 0, and
// a thread-local variable leads to the one of the running continuation. (RFC in
// open-telemetry/opentelemetry-ebpf-profiler, pull request 1861; records: OpenTelemetry, OTEP 4947)

#pragma once

#include <node.h>

namespace hotspan {

// Adds to exports, for one thread:
//   start(storage, store, bytes, resource)  publishes the AsyncLocalStorage, if its stores are in V8's
//                     AsyncContextFrame; is called while it has the store, a Context. Records are made from the
//                     Uint8Array bytes. Returns whether readers can find them.
//   Context(length)   a class: a context with the first bytes as its record
//   replace(context, length)  gives a context another record
//   key(name)         the number of a key in records, -1 for none
void InitThread(v8::Isolate *isolate, v8::Local<v8::Context> context, v8::Local<v8::Object> exports);

} // namespace hotspan
