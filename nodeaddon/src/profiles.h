// The profiles that the agent takes of a thread: contexts that samples have are kept from collection until JavaScript
// takes them.

#pragma once

#include <node.h>

#include "list.h"
#include "records.h"
#include "sampled.h"

namespace hotspan {

class Profiles {
public:
	Profiles(v8::Isolate *i, Records *r) : isolate(i), records(r) {}
	Profiles(const Profiles &) = delete;
	~Profiles();

	// Begins a profile with what has come by a connection. key is that of the attribute of records with the number
	// of their context. Returns 0 if nothing has come.
	int Begin(int connection, int key);
	void End(int profile);

	// Keeps what samples have. It must be called before what they have is freed.
	void Keep();

	// Does so if else it could be too late.
	void KeepInTime()
	{
		for (Profile *p : all)
			if (p->sampled.IsBehind())
				Keep();
	}

	// An array with the number of each context that was kept, and the context.
	v8::Local<v8::Array> Take(int profile);

private:
	struct Kept {
		double number;
		v8::Global<v8::Object> context;
	};
	struct Profile {
		int id, key;
		Sampled sampled;
		List<Kept> kept;
	};

	void Keep(Profile *p);
	void Free(Profile *p);
	static void BeforeCollection(v8::Isolate *, v8::GCType, v8::GCCallbackFlags, void *self);

	v8::Isolate *isolate;
	Records *records;
	List<Profile *> all;
	int last = 0;
};

} // namespace hotspan
