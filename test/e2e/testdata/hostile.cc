// An add-on for Node.js that publishes a Node.js thread context (otel_thread_ctx_nodejs_v1) and custom labels whose
// memory is made up: for each case the AsyncContextFrame, the table in it, the store and the record are written by hand.
// burn(case, milliseconds) has them in place, and burns CPU, while it runs; no JavaScript and no collection do. It
// returns from when to when they were, two BigInts of CLOCK_MONOTONIC.
#include <node.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

using v8::FunctionCallbackInfo;
using v8::Isolate;
using v8::Local;
using v8::Value;
using Word = uint64_t;

struct NodeThread {
  Word *cped_slot;
  Word *als_handle;
  int32_t hash, pad;
  Word undefined;
};

struct Text {
  size_t length;
  const char *at;
};

struct LabelSet {
  Text *storage;
  size_t count, capacity;
};

extern "C" {
extern const uint32_t custom_labels_abi_version;
const uint32_t custom_labels_abi_version = 1;
thread_local NodeThread otel_thread_ctx_nodejs_v1;
thread_local LabelSet *custom_labels_current_set;
}

struct __attribute__((packed)) Record {
  uint8_t trace[16], span[8], valid, flags;
  uint16_t size;
  uint8_t attributes[612];
};

constexpr Word kUnmapped = 0x7123456789a0, kKernel = 0xffff888000000000, kNowhere = 0x8000000000000000;

static Word Smi(int32_t n) { return static_cast<Word>(static_cast<uint32_t>(n)) << 32; }
static Word Tagged(const void *p) { return reinterpret_cast<Word>(p) + 1; }

// A frame with one bucket and two entries, of which the second is the storage's.
struct World {
  alignas(16) Word frame[8], table[32], store[8], storage[8], other[8];
  Record record;
  Word handle;
  LabelSet labels;
  Text texts[256];
  Word *next_of(int entry) { return &table[6 + 3 * entry + 2]; }
};

static Word map_of_frame, map_of_store;

static void Fill(World *w) {
  memset(static_cast<void *>(w), 0, sizeof(*w));
  w->frame[0] = map_of_frame;
  w->frame[3] = Tagged(w->table);
  w->table[0] = map_of_store;  // any hidden class
  w->table[1] = Smi(16);
  w->table[2] = Smi(2), w->table[3] = Smi(0), w->table[4] = Smi(1);  // elements, deleted, buckets
  w->table[5] = Smi(0);                                              // head of the bucket
  w->table[6] = Tagged(w->other), w->table[7] = Tagged(w->other), w->table[8] = Smi(1);
  w->table[9] = Tagged(w->storage), w->table[10] = Tagged(w->store), w->table[11] = Smi(-1);
  w->store[0] = w->storage[0] = w->other[0] = map_of_store;
  w->store[3] = w->store[4] = reinterpret_cast<Word>(&w->record);  // internal field 0, in older and newer V8
  memset(w->record.trace, 0xab, 16);
  memset(w->record.span, 0xcd, 8);
  w->record.valid = 1;
  w->handle = Tagged(w->storage);
}

// A page before one that is not mapped.
static char *LastPage() {
  size_t size = sysconf(_SC_PAGESIZE);
  char *p = static_cast<char *>(mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(p + size, size);
  memset(p, 0, size);
  return p + size;
}

static void Break(const std::string &what, World *w, NodeThread *t, Word undefined) {
  auto is = [&](const char *name) { return what == name; };
  if (is("cycle")) *w->next_of(0) = Smi(0);
  if (is("longer cycle")) w->table[9] = Tagged(w->other), *w->next_of(1) = Smi(0);
  if (is("buckets no power of two")) w->table[4] = Smi(3);
  if (is("no buckets")) w->table[4] = Smi(0);
  if (is("buckets negative")) w->table[4] = Smi(-8);
  if (is("buckets huge")) w->table[4] = Smi(1 << 24), t->hash = 0xffffff;
  if (is("rehashed")) w->table[2] = Tagged(w->table);
  if (is("entry beyond the table")) w->table[5] = Smi(1 << 30);
  if (is("entry in the table's count only")) w->table[2] = Smi(0x7fffffff), w->table[5] = Smi(0x7ffffff0);
  if (is("head no Smi")) w->table[5] = Tagged(w->store);
  if (is("table not mapped")) w->frame[3] = kUnmapped | 1;
  if (is("table no object")) w->frame[3] = 0x1234;
  if (is("frame of another class")) w->frame[0] = map_of_store;
  if (is("frame without a class")) w->frame[0] = 0;
  if (is("frame forwarded to itself")) w->frame[0] = reinterpret_cast<Word>(w->frame);
  if (is("key forwarded to nowhere")) w->table[9] = Tagged(w->other), w->other[0] = kUnmapped;
  if (is("other key")) w->table[9] = Tagged(w->other);
  if (is("store undefined")) w->table[10] = undefined;
  if (is("store a Smi")) w->table[10] = Smi(5);
  if (is("store not mapped")) w->table[10] = kUnmapped | 1;
  if (is("field 0")) w->store[3] = w->store[4] = 0;
  if (is("field not mapped")) w->store[3] = w->store[4] = kUnmapped;
  if (is("field in the kernel")) w->store[3] = w->store[4] = kKernel;
  if (is("field not canonical")) w->store[3] = w->store[4] = kNowhere;
  if (is("field of V8's own")) {
    char *odd = new char[sizeof(Record) + 1] + 1;
    memcpy(odd, &w->record, sizeof(Record));
    w->store[3] = w->store[4] = reinterpret_cast<Word>(odd);
  }
  if (is("record not valid")) w->record.valid = 0;
  if (is("record with another valid")) w->record.valid = 255;
  if (is("handle not mapped")) t->als_handle = reinterpret_cast<Word *>(kUnmapped);
  if (is("slot of another isolate")) t->cped_slot = &w->handle;
  if (is("slot not mapped")) t->cped_slot = reinterpret_cast<Word *>(kUnmapped);
  if (is("slot 0")) t->cped_slot = nullptr;
  if (is("record at the end of memory")) {
    char *end = LastPage();
    w->record.size = 65535;
    memcpy(end - 28, &w->record, 28);
    w->store[3] = w->store[4] = reinterpret_cast<Word>(end - 28);
  }
  if (what.rfind("labels", 0) == 0) {
    t->cped_slot = nullptr;
    w->labels = {w->texts, 1, 1};
    w->texts[0] = {1, "k"}, w->texts[1] = {1, "v"};
    custom_labels_current_set = &w->labels;
  }
  if (is("labels not mapped")) custom_labels_current_set = reinterpret_cast<LabelSet *>(kUnmapped);
  if (is("labels in the kernel")) custom_labels_current_set = reinterpret_cast<LabelSet *>(kKernel);
  if (is("labels with storage not mapped")) w->labels.storage = reinterpret_cast<Text *>(kUnmapped), w->labels.count = ~0ull;
  if (is("labels with a huge key")) w->texts[0].length = 1ull << 40;
  if (is("labels with a huge value")) w->texts[1].length = 1ull << 32;
  if (is("labels with a key not mapped")) w->texts[0].at = reinterpret_cast<char *>(kUnmapped);
  if (is("labels with a value not canonical")) w->texts[1].at = reinterpret_cast<char *>(kNowhere);
  if (is("labels without a key")) w->texts[0].at = nullptr;
  if (is("labels without end")) w->labels.count = ~0ull;  // behind the one label are empty ones
}

// Rewrite goes on changing what is read: at no time is there another label than that of the record.
static void Rewrite(World *w, const std::atomic<bool> *stop) {
  volatile World *v = w;
  for (unsigned i = 0; !*stop; i++) {
    v->frame[3] = i & 1 ? kUnmapped | 1 : Tagged(w->table);
    v->table[5] = i & 2 ? Smi(1 << 20) : Smi(0);
    v->table[8] = i & 4 ? Smi(0) : Smi(1);
    v->table[10] = i & 8 ? kUnmapped | 1 : Tagged(w->store);
    v->store[3] = v->store[4] = i & 16 ? kKernel : reinterpret_cast<Word>(&w->record);
    v->record.size = i & 32 ? 65535 : 0;
  }
}

static uint64_t Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// The tagged word that a handle refers to.
static Word WordOf(Local<Value> v) { return *reinterpret_cast<Word *>(*v); }

static Word ClassOf(Local<Value> v) { return *reinterpret_cast<Word *>(WordOf(v) - 1); }

// burn(case, milliseconds, a Map, an object)
static void Burn(const FunctionCallbackInfo<Value> &args) {
  Isolate *isolate = args.GetIsolate();
  const std::string what = *v8::String::Utf8Value(isolate, args[0]);
  const uint64_t end = Now() + args[1].As<v8::Integer>()->Value() * 1000000;
  map_of_frame = ClassOf(args[2]);
  map_of_store = ClassOf(args[3]);
  Word *slot = reinterpret_cast<Word *>(reinterpret_cast<char *>(isolate) +
                                        v8::internal::Internals::kContinuationPreservedEmbedderDataOffset);
  World *w = new World;
  Fill(w);
  const Word undefined = WordOf(v8::Undefined(isolate)), saved = *slot;
  NodeThread thread = {slot, &w->handle, 0, 0, undefined};
  Break(what, w, &thread, undefined);
  std::atomic<bool> stop = false;
  std::thread rewriter;
  if (what == "rewritten") rewriter = std::thread(Rewrite, w, &stop);

  *slot = what == "frame a Smi" ? Smi(7) : what == "frame not mapped" ? kUnmapped | 1 : Tagged(w->frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  otel_thread_ctx_nodejs_v1 = thread;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const uint64_t start = Now();
  volatile uint32_t x = 0;
  while (Now() < end)
    for (int i = 0; i < 4000; i++) x = x * 1664525 + i;
  const uint64_t stopped = Now();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  otel_thread_ctx_nodejs_v1 = {};
  custom_labels_current_set = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  *slot = saved;
  stop = true;
  if (rewriter.joinable()) rewriter.join();
  Local<Value> times[] = {v8::BigInt::NewFromUnsigned(isolate, start), v8::BigInt::NewFromUnsigned(isolate, stopped)};
  args.GetReturnValue().Set(v8::Array::New(isolate, times, 2));
}

NODE_MODULE_INIT(/* exports, module, context */) { NODE_SET_METHOD(exports, "burn", Burn); }
