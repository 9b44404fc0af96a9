#include "thread_context.h"

#include <new>
#include <node_buffer.h>
#include <node_version.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process_context.h"

// What readers find for a thread with an isolate.
struct NodeThread {
	uint64_t cped_slot;	   // address of what V8 preserves for continuations; 0 = nothing is published
	uint64_t als_handle;	   // address of a slot that has the AsyncLocalStorage
	int32_t als_identity_hash; // of that object
	int32_t pad;
	uint64_t undefined_addr; // tagged
};

extern "C" {
__attribute__((visibility("default"))) __thread volatile NodeThread otel_thread_ctx_nodejs_v1;
}

namespace hotspan {
namespace {

using v8::FunctionCallbackInfo;
using v8::Global;
using v8::Isolate;
using v8::Local;
using v8::Object;
using v8::String;
using v8::Value;

// A record with what keeps it: it lives as long as its object.
struct Live {
	Global<Object> object;
	Live *next, **link;
	alignas(16) uint8_t record[];
};

struct Thread {
	Isolate *isolate;
	Global<Object> storage, bytes;
	const uint8_t *from; // the memory of bytes
	size_t room;
	Live *first;
};

__thread Thread *thread; // 0 = nothing is published for it

// Orders what is written before and after it for a reader that interrupts this thread.
void Order() { __asm__ volatile("" ::: "memory"); }

uint64_t Word(Local<Value> v) { return *reinterpret_cast<const uint64_t *>(*v); }

#if V8_MAJOR_VERSION >= 12
uint64_t FrameSlot(Isolate *isolate)
{
	return reinterpret_cast<uint64_t>(isolate) + v8::internal::Internals::kContinuationPreservedEmbedderDataOffset;
}

Local<Value> Frame(Isolate *isolate)
{
#if V8_MAJOR_VERSION >= 14
	return isolate->GetContinuationPreservedEmbedderDataV2().As<Value>();
#else
	return isolate->GetContinuationPreservedEmbedderData();
#endif
}

// Whether stores are in the slot that readers look at: store is the one that the storage has now.
bool InFrame(Isolate *isolate, Local<Value> storage, Local<Value> store)
{
	Local<Value> frame = Frame(isolate), value;
	return frame->IsMap() && Word(frame) == *reinterpret_cast<uint64_t *>(FrameSlot(isolate)) &&
	       frame.As<v8::Map>()->Get(isolate->GetCurrentContext(), storage).ToLocal(&value) && value == store;
}
#else // Node before 22 has no AsyncContextFrame
uint64_t FrameSlot(Isolate *) { return 0; }
bool InFrame(Isolate *, Local<Value>, Local<Value>) { return false; }
#endif

void *GetRecord(Local<Object> object)
{
#if NODE_MAJOR_VERSION >= 26
	return object->GetAlignedPointerFromInternalField(0, v8::kEmbedderDataTypeTagDefault);
#else
	return object->GetAlignedPointerFromInternalField(0);
#endif
}

void SetRecord(Local<Object> object, void *record)
{
	Order();
#if NODE_MAJOR_VERSION >= 26
	object->SetAlignedPointerInInternalField(0, record, v8::kEmbedderDataTypeTagDefault);
#else
	object->SetAlignedPointerInInternalField(0, record);
#endif
	Order();
}

// Where an object has the address of its record, in bytes. 0 = not where it can be told.
uint32_t RecordOffset(Local<Object> object)
{
	const uint64_t *words = reinterpret_cast<const uint64_t *>(Word(object) - 1);
	uint64_t record = reinterpret_cast<uint64_t>(GetRecord(object));
	for (uint32_t i = 3; i < 6; i++) // behind the hidden class, properties and elements
		if (record && words[i] == record)
			return i * 8;
	return 0;
}

void Unlink(Live *l)
{
	*l->link = l->next;
	if (l->next)
		l->next->link = l->link;
}

void Collected(const v8::WeakCallbackInfo<Live> &info)
{
	Live *l = info.GetParameter();
	l->object.Reset();
	Unlink(l);
	free(l);
}

// Makes a record of the first bytes and gives it to an object.
void Attach(Local<Object> object, size_t length)
{
	Live *l = static_cast<Live *>(malloc(sizeof(Live) + length));
	if (!l)
		return;
	memcpy(l->record, thread->from, length);
	new (&l->object) Global<Object>(thread->isolate, object);
	l->object.SetWeak(l, Collected, v8::WeakCallbackType::kParameter);
	l->link = &thread->first;
	l->next = thread->first;
	if (l->next)
		l->next->link = &l->next;
	thread->first = l;
	SetRecord(object, l->record);
}

Live *LiveOf(Local<Object> object)
{
	void *record = GetRecord(object);
	return record ? reinterpret_cast<Live *>(static_cast<uint8_t *>(record) - offsetof(Live, record)) : nullptr;
}

size_t Length(const FunctionCallbackInfo<Value> &info, int i)
{
	int64_t n = info[i]->IsUint32() ? info[i].As<v8::Uint32>()->Value() : 0;
	return thread && n >= 28 && static_cast<size_t>(n) <= thread->room ? static_cast<size_t>(n) : 0;
}

void NewContext(const FunctionCallbackInfo<Value> &info)
{
	size_t length = Length(info, 0);
	if (!info.IsConstructCall())
		return;
	SetRecord(info.This(), nullptr);
	if (!length)
		return;
	KeepProcess();
	Attach(info.This(), length);
}

void Replace(const FunctionCallbackInfo<Value> &info)
{
	size_t length = Length(info, 1);
	if (!length || !info[0]->IsObject())
		return;
	Local<Object> object = info[0].As<Object>();
	if (object->InternalFieldCount() < 1)
		return;
	Live *before = LiveOf(object);
	KeepProcess();
	Attach(object, length);
	if (before) {
		before->object.Reset();
		Unlink(before);
		free(before);
	}
}

void Key(const FunctionCallbackInfo<Value> &info)
{
	String::Utf8Value name(info.GetIsolate(), info[0]);
	int number = *name ? KeyNumber(*name, static_cast<size_t>(name.length())) : -1;
	info.GetReturnValue().Set(number);
}

// Ends what is published for a thread. Objects that still are somewhere lose their records.
void Stop(void *)
{
	volatile NodeThread *t = &otel_thread_ctx_nodejs_v1;
	t->cped_slot = 0;
	Order();
	t->als_handle = 0;
	t->als_identity_hash = 0;
	t->undefined_addr = 0;
	if (!thread)
		return;
	for (Live *l = thread->first, *next; l; l = next) {
		v8::HandleScope scope(thread->isolate);
		next = l->next;
		SetRecord(l->object.Get(thread->isolate), nullptr);
		l->object.Reset();
		free(l);
	}
	thread->storage.Reset();
	thread->bytes.Reset();
	free(thread);
	thread = nullptr;
}

const uint8_t *Data(Local<Value> array) { return reinterpret_cast<const uint8_t *>(node::Buffer::Data(array)); }

void Start(const FunctionCallbackInfo<Value> &info)
{
	Isolate *isolate = info.GetIsolate();
	if (thread || !info[0]->IsObject() || !info[1]->IsObject() || !info[2]->IsUint8Array() ||
	    !info[3]->IsUint8Array())
		return;
	Local<Object> storage = info[0].As<Object>(), store = info[1].As<Object>();
	Local<Object> bytes = info[2].As<Object>();
	bool inFrame = InFrame(isolate, storage, store);
	uint32_t offset = 0;
	if (inFrame) {
		alignas(16) static uint8_t probe[16];
		SetRecord(store, probe);
		offset = RecordOffset(store);
		SetRecord(store, nullptr);
	}
	bool readable = PublishProcess(Data(info[3]), node::Buffer::Length(info[3]), offset);
	if (!offset || !readable)
		return;
	thread = new (malloc(sizeof(Thread))) Thread();
	thread->isolate = isolate;
	thread->storage.Reset(isolate, storage);
	thread->bytes.Reset(isolate, bytes);
	thread->from = Data(bytes);
	thread->room = node::Buffer::Length(bytes);
	node::AddEnvironmentCleanupHook(isolate, Stop, nullptr);
	volatile NodeThread *t = &otel_thread_ctx_nodejs_v1;
	memcpy(const_cast<uint64_t *>(&t->als_handle), &thread->storage, sizeof(t->als_handle));
	t->als_identity_hash = storage->GetIdentityHash();
	t->undefined_addr = Word(v8::Undefined(isolate));
	Order();
	t->cped_slot = FrameSlot(isolate);
	info.GetReturnValue().Set(true);
}

} // namespace

void InitThread(Isolate *isolate, Local<v8::Context> context, Local<Object> exports)
{
	auto name = [&](const char *text) { return String::NewFromUtf8(isolate, text).ToLocalChecked(); };
	auto add = [&](const char *text, v8::FunctionCallback f) {
		Local<v8::FunctionTemplate> made = v8::FunctionTemplate::New(isolate, f);
		exports->Set(context, name(text), made->GetFunction(context).ToLocalChecked()).Check();
	};
	Local<v8::FunctionTemplate> type = v8::FunctionTemplate::New(isolate, NewContext);
	type->SetClassName(name("Context"));
	type->InstanceTemplate()->SetInternalFieldCount(1);
	exports->Set(context, name("Context"), type->GetFunction(context).ToLocalChecked()).Check();
	add("start", Start);
	add("replace", Replace);
	add("key", Key);
}

} // namespace hotspan

NODE_MODULE_INIT(/* exports, module, context */)
{
	hotspan::InitThread(v8::Isolate::GetCurrent(), context, exports);
}
