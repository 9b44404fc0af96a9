#include "thread_context.h"

#include <new>
#include <node_buffer.h>
#include <node_version.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process_context.h"
#include "profiles.h"
#include "records.h"

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
using v8::ObjectTemplate;
using v8::String;
using v8::Value;

// Offsets in a record. (OTEP 4947) Behind the longest one is a number that add-on and JavaScript share.
const size_t kSpan = 16, kValid = 24, kBad = Records::kMost;

struct Thread {
	Isolate *isolate;
	Global<ObjectTemplate> type; // of contexts
	Global<Object> storage, bytes;
	Global<v8::Function> current;
	uint8_t *from = nullptr; // the memory of bytes; 0 = nothing is published for this thread
	Records records;
	Profiles profiles;

	explicit Thread(Isolate *i) : isolate(i), profiles(i, &records) {}
};

__thread Thread *thread; // 0 = has not loaded this, or has ended

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

void SetFrame(Isolate *isolate, Local<Value> frame)
{
#if V8_MAJOR_VERSION >= 14
	isolate->SetContinuationPreservedEmbedderDataV2(frame);
#else
	isolate->SetContinuationPreservedEmbedderData(frame);
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
Local<Value> Frame(Isolate *isolate) { return v8::Undefined(isolate); }
void SetFrame(Isolate *, Local<Value>) {}
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

void Collected(const v8::WeakCallbackInfo<Live> &info)
{
	Live *l = info.GetParameter();
	l->object.Reset();
	thread->records.Free(l);
}

// Gives an object the record in bytes; none if there is no memory for it. Returns whether it has it.
bool Attach(Local<Object> object, size_t length)
{
	Live *l = thread->records.Make(length);
	if (!l) {
		SetRecord(object, nullptr); // a new object has undefined there, which V8 takes for no address
		return false;
	}
	memcpy(l->record, thread->from, length);
	new (&l->object) Global<Object>(thread->isolate, object);
	l->object.SetWeak(l, Collected, v8::WeakCallbackType::kParameter);
	SetRecord(object, l->record);
	return true;
}

Live *LiveOf(Local<Object> object)
{
	void *record = GetRecord(object);
	return record ? reinterpret_cast<Live *>(static_cast<uint8_t *>(record) - offsetof(Live, record)) : nullptr;
}

typedef uint8_t Text __attribute__((vector_size(16)));

// Writes the 8 bytes that 16 digits are in hexadecimal. Returns a mask of what is no digit.
Text Decode(const uint8_t *text, uint8_t *to)
{
	Text c, values;
	uint16_t pairs[8];
	memcpy(&c, text, sizeof(c));
	Text digit = c - '0', letter = (c | 32) - 'a';
	Text isDigit = (Text)(digit < 10), isLetter = (Text)(letter < 6);
	values = (digit & isDigit) | ((letter + 10) & isLetter);
	memcpy(pairs, &values, sizeof(pairs));
	for (int i = 0; i < 8; i++)
		to[i] = static_cast<uint8_t>(pairs[i] << 4 | pairs[i] >> 8);
	return ~(isDigit | isLetter);
}

// Copies a text of so many characters, if each is a byte.
bool Copy(Isolate *isolate, Local<String> from, uint8_t *to, size_t n)
{
	if (from->Length() != static_cast<int>(n) || (!from->IsOneByte() && !from->ContainsOnlyOneByte()))
		return false;
#if V8_MAJOR_VERSION >= 13
	from->WriteOneByteV2(isolate, 0, static_cast<uint32_t>(n), to);
#else
	from->WriteOneByte(isolate, to, 0, static_cast<int>(n), String::NO_NULL_TERMINATION);
#endif
	return true;
}

// Writes the n bytes that a text has in hexadecimal, 8 or 16; zeros, for none, if it is no such text. Returns whether
// it is one, or undefined.
bool WriteID(Isolate *isolate, Local<Value> value, uint8_t *to, size_t n)
{
	uint8_t text[32];
	uint64_t bad[2] = {}, all = 0;
	if (value->IsString() && Copy(isolate, value.As<String>(), text, 2 * n)) {
		for (size_t i = 0; i < n; i += 8) {
			Text mask = Decode(text + 2 * i, to + i);
			memcpy(bad, &mask, sizeof(bad));
			all |= bad[0] | bad[1];
		}
		if (!all)
			return true;
	}
	memset(to, 0, n);
	return value->IsUndefined();
}

// Completes the record in bytes by its ids, two arguments. Returns its length, 0 if it is not to be published.
size_t Complete(const FunctionCallbackInfo<Value> &info, int first)
{
	if (!thread || !thread->from)
		return 0;
	Isolate *isolate = info.GetIsolate();
	uint8_t *to = thread->from;
	int bad = !WriteID(isolate, info[first], to, kSpan);
	bad += !WriteID(isolate, info[first + 1], to + kSpan, kValid - kSpan);
	to[kBad] = static_cast<uint8_t>(bad);
	return RecordLength(to);
}

void WriteIDs(const FunctionCallbackInfo<Value> &info) { Complete(info, 0); }

void Make(const FunctionCallbackInfo<Value> &info)
{
	Local<Object> object;
	size_t length = Complete(info, 0);
	Isolate *isolate = info.GetIsolate();
	if (!thread || !thread->type.Get(isolate)->NewInstance(isolate->GetCurrentContext()).ToLocal(&object))
		return;
	info.GetReturnValue().Set(object);
	if (!length) {
		SetRecord(object, nullptr);
		return;
	}
	KeepProcess();
	thread->profiles.KeepInTime();
	thread->from[kBad] += !Attach(object, length);
}

void Replace(const FunctionCallbackInfo<Value> &info)
{
	size_t length = Complete(info, 1);
	if (!length || !info[0]->IsObject())
		return;
	Local<Object> object = info[0].As<Object>();
	if (object->InternalFieldCount() < 1)
		return;
	Live *before = LiveOf(object);
	KeepProcess();
	info.GetReturnValue().Set(Attach(object, length));
	if (before) {
		thread->profiles.Keep(); // samples may have it
		before->object.Reset();
		thread->records.Free(before);
	}
}

void GetFrame(const FunctionCallbackInfo<Value> &info) { info.GetReturnValue().Set(Frame(info.GetIsolate())); }

void Restore(const FunctionCallbackInfo<Value> &info)
{
	bool same = Frame(info.GetIsolate()) == info[0];
	if (same)
		SetFrame(info.GetIsolate(), info[1]);
	info.GetReturnValue().Set(same);
}

void Key(const FunctionCallbackInfo<Value> &info)
{
	String::Utf8Value name(info.GetIsolate(), info[0]);
	int number = *name ? KeyNumber(*name, static_cast<size_t>(name.length())) : -1;
	info.GetReturnValue().Set(number);
}

int Number(Local<Value> v) { return v->IsInt32() ? v.As<v8::Int32>()->Value() : -1; }

void Ask(const FunctionCallbackInfo<Value> &info)
{
	String::Utf8Value socket(info.GetIsolate(), info[0]), session(info.GetIsolate(), info[1]);
	info.GetReturnValue().Set(*socket && *session ? AskForSampled(*socket, *session) : -1);
}

void Begin(const FunctionCallbackInfo<Value> &info)
{
	int connection = Number(info[0]);
	if (thread && connection >= 0)
		info.GetReturnValue().Set(thread->profiles.Begin(connection, Number(info[1])));
}

void Take(const FunctionCallbackInfo<Value> &info)
{
	if (thread)
		info.GetReturnValue().Set(thread->profiles.Take(Number(info[0])));
}

void End(const FunctionCallbackInfo<Value> &info)
{
	if (thread)
		thread->profiles.End(Number(info[0]));
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
	thread->records.All([](Live *l) {
		v8::HandleScope scope(thread->isolate);
		SetRecord(l->object.Get(thread->isolate), nullptr);
		l->object.Reset();
	});
	thread->type.Reset();
	thread->storage.Reset();
	thread->bytes.Reset();
	thread->current.Reset();
	thread->~Thread();
	free(thread);
	thread = nullptr;
}

uint8_t *Data(Local<Value> array) { return reinterpret_cast<uint8_t *>(node::Buffer::Data(array)); }

void Start(const FunctionCallbackInfo<Value> &info)
{
	Isolate *isolate = info.GetIsolate();
	if (!thread || thread->from || !info[0]->IsObject() || !info[1]->IsObject() || !info[2]->IsUint8Array() ||
	    node::Buffer::Length(info[2]) <= kBad || !info[3]->IsUint8Array() || !info[4]->IsFunction())
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
	if (!readable)
		return;
	thread->storage.Reset(isolate, storage);
	thread->bytes.Reset(isolate, bytes);
	thread->current.Reset(isolate, info[4].As<v8::Function>());
	thread->from = Data(bytes);
	if (!offset)
		return;
	volatile NodeThread *t = &otel_thread_ctx_nodejs_v1;
	memcpy(const_cast<uint64_t *>(&t->als_handle), &thread->storage, sizeof(t->als_handle));
	t->als_identity_hash = storage->GetIdentityHash();
	t->undefined_addr = Word(v8::Undefined(isolate));
	Order();
	t->cped_slot = FrameSlot(isolate);
	info.GetReturnValue().Set(true);
}

} // namespace

bool RunsJavaScript() { return thread; }

size_t CurrentRecord(uint8_t *to)
{
	if (!thread->from)
		return 0;
	Isolate *isolate = thread->isolate;
	v8::HandleScope scope(isolate);
	v8::TryCatch ignored(isolate);
	Local<v8::Context> context = isolate->GetCurrentContext();
	Local<Value> current;
	if (context.IsEmpty() ||
	    !thread->current.Get(isolate)->Call(context, v8::Undefined(isolate), 0, nullptr).ToLocal(&current))
		return 0;
	Live *l = current->IsObject() ? LiveOf(current.As<Object>()) : nullptr;
	const uint8_t *record = l ? l->record : current->IsTrue() ? thread->from : nullptr;
	if (!record)
		return 0;
	KeepProcess();
	memcpy(to, record, RecordLength(record));
	return RecordLength(record);
}

void InitThread(Isolate *isolate, Local<v8::Context> context, Local<Object> exports)
{
	auto name = [&](const char *text) { return String::NewFromUtf8(isolate, text).ToLocalChecked(); };
	auto add = [&](const char *text, v8::FunctionCallback f) {
		Local<v8::FunctionTemplate> made = v8::FunctionTemplate::New(isolate, f);
		exports->Set(context, name(text), made->GetFunction(context).ToLocalChecked()).Check();
	};
	if (!thread) {
		Local<ObjectTemplate> type = ObjectTemplate::New(isolate);
		type->SetInternalFieldCount(1);
		thread = new (malloc(sizeof(Thread))) Thread(isolate);
		thread->type.Reset(isolate, type);
		node::AddEnvironmentCleanupHook(isolate, Stop, nullptr);
	}
	add("start", Start);
	add("make", Make);
	add("complete", WriteIDs);
	add("replace", Replace);
	add("frame", GetFrame);
	add("restore", Restore);
	add("key", Key);
	add("ask", Ask);
	add("begin", Begin);
	add("take", Take);
	add("end", End);
}

} // namespace hotspan

NODE_MODULE_INIT(/* exports, module, context */)
{
	hotspan::InitThread(v8::Isolate::GetCurrent(), context, exports);
}
