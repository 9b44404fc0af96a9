// Contexts for readers outside the process: each is an object with the address of a record in its internal field 0, and
// a thread-local variable leads to the one of the running continuation. (RFC in
// open-telemetry/opentelemetry-ebpf-profiler, pull request 1861; records: OpenTelemetry, OTEP 4947)

#pragma once

#include <node.h>
#include <stddef.h>
#include <stdint.h>

namespace hotspan {

// Adds to exports, for one thread:
//   start(storage, store, bytes, resource, current)  publishes the AsyncLocalStorage, if its stores are in V8's
//                     AsyncContextFrame; is called while it has the store, a context. Records are made from the
//                     Uint8Array bytes, of 641. current is called for the record of the current context: it returns
//                     the context, or true if it has written the record into bytes. Returns whether readers can find
//                     contexts of JavaScript.
//   make(traceId, spanId)  a new context, with what is in bytes as its record. The ids, texts or undefined, are written
//                     there first; the last byte is the number of those that are no ids, and 1 more if there was no
//                     memory for the record.
//   complete(traceId, spanId)  writes the ids only
//   replace(context, traceId, spanId)  gives a context another record. Returns whether there was memory for it: else it
//                     has none
//   frame()           the current AsyncContextFrame, or undefined
//   restore(from, to) makes another AsyncContextFrame the current one, if that is from. Returns whether it is.
//   key(name)         the number of a key in records, -1 for none
//   ask(socket, id)   asks an agent for what it shares with a session. Returns a connection, or an errno less than 0
//   begin(connection, key)  begins a profile with what has come by a connection: contexts that samples have are kept.
//                     key is that of the attribute with their number. Returns the profile, 0 if nothing has come
//   take(profile)     the contexts that were kept since the last call, each behind its number, in an array. They are
//                     not kept any more
//   end(profile)      ends a profile
void InitThread(v8::Isolate *isolate, v8::Local<v8::Context> context, v8::Local<v8::Object> exports);

// Whether this thread has loaded the add-on from JavaScript, and has not ended that.
bool RunsJavaScript();

// Bytes that a record has at most, and before its attributes.
const size_t kMostRecord = 640, kRecordHead = 28;

// Copies the record of the context that is current on this thread, which runs JavaScript. Returns its length; 0 = none.
size_t CurrentRecord(uint8_t *to);

} // namespace hotspan
