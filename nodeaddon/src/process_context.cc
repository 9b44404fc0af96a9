#include "process_context.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

namespace hotspan {
namespace {

struct Header {
	char signature[8];
	uint32_t version, size;
	uint64_t published; // CLOCK_BOOTTIME in nanoseconds; 0 while it is being changed
	const uint8_t *payload;
};

const int kKeys = 256;
// The keys of this writer begin here: if another writer replaces the process context, or makes a second one, its list
// does not give these numbers other names. The records then have unknown keys for a while, not wrong ones.
const int kFirstKey = 64;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Header *header;      // this and seen are read without the mutex, too
uint64_t seen;       // publication that has all of this
bool adopted;        // the mapping was made by another writer
Slice resource;      // attributes; this memory and that of keys is never freed
uint32_t offset;     // of the record's address in an object
Slice keys[kKeys];   // of this writer
const uint8_t *mine; // payload that this writer has allocated
const uint8_t *before; // and the one before, which somebody may be reading now

struct Lock {
	Lock() { pthread_mutex_lock(&mutex); }
	~Lock() { pthread_mutex_unlock(&mutex); }
};

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// The mapping of another writer, or of another copy of this one.
Header *Find()
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	Header *found = nullptr;
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long start;
		char mode[5], name[64] = "";
		if (sscanf(line, "%lx-%*x %4s %*s %*s %*s %63s", &start, mode, name) < 2 || mode[1] != 'w')
			continue;
		if (strcmp(name, "[anon_shmem:OTEL_CTX]") && strcmp(name, "[anon:OTEL_CTX]") &&
		    strcmp(name, "/memfd:OTEL_CTX"))
			continue;
		Header *at = reinterpret_cast<Header *>(start);
		if (!memcmp(at->signature, "OTEL_CTX", 8) && at->version == 2)
			found = at;
	}
	if (maps)
		fclose(maps);
	return found;
}

Header *Map()
{
	void *at = MAP_FAILED;
	int file = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (file < 0) // before Linux 6.3
		file = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file >= 0 && !ftruncate(file, static_cast<off_t>(PageSize())))
		at = mmap(nullptr, PageSize(), PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (file >= 0)
		close(file);
	if (at == MAP_FAILED)
		at = mmap(nullptr, PageSize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || madvise(at, PageSize(), MADV_DONTFORK))
		return nullptr;
	return static_cast<Header *>(at);
}

// What another payload has: its keys, and all fields that this writer does not write. wrapped says that records are
// behind another object, as writers had it before the schema did without.
struct Other {
	Slice keys[kKeys];
	Bytes rest;
	bool wrapped = false, resource = false;

	void Read(Slice payload)
	{
		for (Fields f(payload); f.Next();) {
			if (f.number == 2 && Attribute(f.inner))
				continue;
			if (f.number == 1 && !adopted)
				continue;
			resource |= f.number == 1;
			rest.Add(f.whole);
		}
	}

private:
	// Whether an attribute is one that this writer writes.
	bool Attribute(Slice pair)
	{
		Slice key, value;
		for (Fields f(pair); f.Next();)
			(f.number == 1 ? key : value) = f.inner;
		wrapped |= key.Is("threadlocal.native_wrap_fields_offset");
		if (key.Is("threadlocal.attribute_key_map"))
			Keys(value);
		return key.Begins("threadlocal.");
	}
	// AnyValue{string string_value = 1; ArrayValue array_value = 5}, ArrayValue{repeated AnyValue values = 1}
	void Keys(Slice value)
	{
		int n = 0;
		for (Fields any(value); any.Next();)
			for (Fields array(any.inner); array.Next();)
				for (Fields item(array.inner); item.Next() && n < kKeys;)
					keys[n++] = item.inner;
	}
};

void AddAttribute(Bytes *to, const char *key, const Bytes &value)
{
	Bytes pair;
	pair.AddField(1, key);
	pair.AddField(2, value.All());
	to->AddField(2, pair.All());
}

void AddText(Bytes *to, const char *key, const char *text)
{
	Bytes value;
	value.AddField(1, text);
	AddAttribute(to, key, value);
}

void AddNumber(Bytes *to, const char *key, uint64_t n)
{
	Bytes value;
	value.AddByte(3 << 3);
	value.AddVarint(n);
	AddAttribute(to, key, value);
}

// ProcessContext{Resource resource = 1; repeated KeyValue attributes = 2}
void Encode(Bytes *to, const Other &other)
{
	Bytes list, value;
	if (!other.resource)
		to->AddField(1, resource);
	to->Add(other.rest.All());
	int last = -1;
	for (int i = 0; i < kKeys; i++)
		if (keys[i].size || other.keys[i].size)
			last = i;
	if (!offset && last < 0)
		return; // there are no records
	for (int i = 0; i <= last; i++) {
		Bytes item;
		item.AddField(1, other.keys[i].size ? other.keys[i] : keys[i]);
		list.AddField(1, item.All());
	}
	value.AddField(5, list.All());
	AddText(to, "threadlocal.schema_version", offset ? "nodejs_v1_dev" : "tlsdesc_v1_dev");
	AddAttribute(to, "threadlocal.attribute_key_map", value);
	if (!offset)
		return;
	AddNumber(to, "threadlocal.js_object_record_offset", offset);
	AddNumber(to, "threadlocal.tagged_size", 8);
	AddNumber(to, "threadlocal.js_map_table_offset", 24);
	AddNumber(to, "threadlocal.ordered_hash_map_header_size", 16);
}

Slice Copy(const uint8_t *from, size_t size)
{
	Bytes copy;
	copy.Add(from, size);
	Slice all = copy.All();
	copy.data = nullptr; // stays
	return all;
}

uint64_t Now()
{
	timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

// Begins a change: no other writer changes it meanwhile. 0 = one does, for longer than a change takes.
uint64_t Begin()
{
	for (int i = 0; i < 100; i++) {
		uint64_t was = __atomic_load_n(&header->published, __ATOMIC_ACQUIRE);
		if (was && __atomic_compare_exchange_n(&header->published, &was, 0, false, __ATOMIC_ACQ_REL,
						       __ATOMIC_RELAXED))
			return was;
		sched_yield();
	}
	return 0;
}

void End(Slice payload)
{
	header->payload = payload.data;
	header->size = static_cast<uint32_t>(payload.size);
	uint64_t now = Now();
	__atomic_store_n(&seen, now, __ATOMIC_RELAXED);
	__atomic_store_n(&header->published, now, __ATOMIC_RELEASE);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, PageSize(), "OTEL_CTX");
}

// Publishes what there is. want is a key to be added if nobody has it; its number is returned, -1 for none. done
// tells whether all was published: not if another writer does not end its change, if records of this writer cannot be
// read beside those of the other, or if it is too long.
int Publish(Slice want, bool *done)
{
	*done = false;
	Other other;
	int number = -1, free = kFirstKey;
	uint64_t was = Begin();
	if (!was)
		return -1;
	if (header->payload)
		other.Read(Slice{header->payload, header->size});
	for (int i = kKeys - 1; i >= 0; i--) {
		Slice have = other.keys[i].size ? other.keys[i] : keys[i];
		if (have.size && i >= free)
			free = i + 1;
		if (want.size && have.size == want.size && !memcmp(have.data, want.data, want.size))
			number = i;
	}
	if (want.size && number < 0 && free < kKeys)
		number = free;
	Slice had{};
	if (number >= 0) {
		had = keys[number];
		keys[number] = want;
	}
	Bytes payload;
	Encode(&payload, other);
	if (other.wrapped || payload.size > 1 << 16) {
		if (number >= 0)
			keys[number] = had; // want is freed
		__atomic_store_n(&header->published, was, __ATOMIC_RELEASE);
		return -1;
	}
	::free(const_cast<uint8_t *>(before));
	before = mine;
	mine = payload.data;
	End(payload.All());
	payload.data = nullptr; // stays
	*done = true;
	return number;
}

bool Ensure()
{
	if (header)
		return true;
	Header *found = Find();
	adopted = found;
	if (!found && !(found = Map()))
		return false;
	if (!adopted) {
		found->version = 2;
		found->published = 1; // the first publication has a greater time
	}
	__atomic_store_n(&header, found, __ATOMIC_RELEASE);
	return true;
}

} // namespace

bool PublishProcess(const uint8_t *attributes, size_t size, uint32_t recordOffset)
{
	Lock lock;
	bool done;
	if (!Ensure())
		return false;
	if (!resource.size)
		resource = Copy(attributes, size);
	if (recordOffset)
		offset = recordOffset;
	Publish(Slice{}, &done);
	if (!done)
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(header->signature, "OTEL_CTX", 8);
	return true;
}

int KeyNumber(const char *name, size_t length)
{
	Lock lock;
	bool done;
	if (!header || !length || length > 255)
		return -1; // nothing is published, or no key
	for (int i = 0; i < kKeys; i++)
		if (keys[i].size == length && !memcmp(keys[i].data, name, length))
			return i;
	Slice key = Copy(reinterpret_cast<const uint8_t *>(name), length);
	int number = Publish(key, &done);
	if (number < 0)
		free(const_cast<uint8_t *>(key.data));
	return number;
}

void KeepProcess()
{
	Header *now = __atomic_load_n(&header, __ATOMIC_ACQUIRE);
	if (!now || __atomic_load_n(&now->published, __ATOMIC_RELAXED) == __atomic_load_n(&seen, __ATOMIC_RELAXED))
		return;
	Lock lock;
	bool done;
	if (__atomic_load_n(&now->published, __ATOMIC_RELAXED) != seen)
		Publish(Slice{}, &done);
}

} // namespace hotspan
