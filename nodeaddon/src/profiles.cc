#include "profiles.h"

#include <algorithm>
#include <new>
#include <stdlib.h>

namespace hotspan {
namespace {

const size_t kMostKept = 100000;

// The number that a record has, as THREAD.NUMBER in the attribute of a key; 0 = none.
double NumberIn(const uint8_t *record, int key)
{
	double number = 0;
	size_t end = RecordLength(record), next;
	for (size_t at = kRecordHead; at + 2 <= end; at = next) {
		next = at + 2 + record[at + 1];
		if (record[at] != key || next > end)
			continue;
		for (at += 2; at < next; at++)
			number = record[at] == '.' ? 0 : number * 10 + (record[at] - '0');
		return number;
	}
	return 0;
}

} // namespace

int Profiles::Begin(int connection, int key)
{
	void *memory = malloc(sizeof(Profile));
	if (!memory)
		return 0;
	Profile *p = new (memory) Profile();
	if (!p->sampled.Receive(connection) || !all.Add(p)) {
		Free(p);
		return 0;
	}
	p->id = ++last;
	p->key = key;
	if (all.Size() == 1)
		isolate->AddGCPrologueCallback(BeforeCollection, this);
	return last;
}

void Profiles::Free(Profile *p)
{
	p->~Profile();
	free(p);
}

void Profiles::End(int profile)
{
	Profile **ended = std::find_if(all.begin(), all.end(), [&](Profile *p) { return p->id == profile; });
	if (ended == all.end())
		return;
	Free(*ended);
	all.Remove(ended);
	if (all.Size() == 0)
		isolate->RemoveGCPrologueCallback(BeforeCollection, this);
}

Profiles::~Profiles()
{
	while (all.Size())
		End((*all.begin())->id);
}

// A context that a sample has is alive when the sample is taken: it may be collected only after this.
void Profiles::BeforeCollection(v8::Isolate *, v8::GCType, v8::GCCallbackFlags, void *self)
{
	static_cast<Profiles *>(self)->Keep();
}

void Profiles::Keep()
{
	for (Profile *p : all)
		Keep(p);
}

void Profiles::Keep(Profile *p)
{
	List<uint64_t> addresses;
	p->sampled.Read(&addresses);
	std::sort(addresses.begin(), addresses.end());
	addresses.CutAt(std::unique(addresses.begin(), addresses.end()));
	for (uint64_t address : addresses) {
		Live *l = records->Find(address); // of another thread, or another publisher
		double number = l ? NumberIn(l->record, p->key) : 0;
		if (number > 0 && p->kept.Size() < kMostKept)
			p->kept.Add({number, v8::Global<v8::Object>(isolate, l->object)});
	}
}

v8::Local<v8::Array> Profiles::Take(int profile)
{
	List<v8::Local<v8::Value>> out;
	for (Profile *p : all) {
		if (p->id != profile)
			continue;
		Keep(p);
		for (Kept &k : p->kept) {
			if (!out.Add(v8::Number::New(isolate, k.number)) || !out.Add(k.context.Get(isolate)))
				break;
		}
		p->kept.Clear();
	}
	return v8::Array::New(isolate, out.begin(), out.Size() / 2 * 2);
}

} // namespace hotspan
