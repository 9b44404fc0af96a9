// Memory for records. A block has records of about one size, and is freed when the last of them is: making a record and
// freeing it takes some nanoseconds each, and memory returns. Nothing here may be called by two threads at once.

#pragma once

#include <node.h>
#include <stddef.h>
#include <stdint.h>

#include "list.h"
#include "thread_context.h"

namespace hotspan {

struct Block;

// Bytes of a record. (OTEP 4947)
inline size_t RecordLength(const uint8_t *record) { return kRecordHead + record[26] + record[27] * size_t{256}; }

// A record with what keeps it: it lives as long as its object.
struct Live {
	v8::Global<v8::Object> object;
	Block *block;
	uint8_t record[];
};

// The records of a thread.
class Records {
public:
	Records() = default;
	Records(const Records &) = delete;
	~Records();

	// Memory for a record of so many bytes, at most kMost. 0 = there is none.
	Live *Make(size_t length);
	void Free(Live *l);

	// The one whose record is at an address. 0 = there is none.
	Live *Find(uint64_t record);

	// Calls each with all that are there.
	template <typename F> void All(F each);

	static const size_t kMost = kMostRecord;

private:
	static const size_t kStep = 32; // sizes are multiples of this
	static const size_t kSizes = (sizeof(Live) + kMost + kStep - 1) / kStep + 1;

	struct Size {
		Block *free = nullptr; // blocks that have room
		Block *full = nullptr;
	};
	Size sizes[kSizes];
	List<Block *> blocks; // by address

	Block *Add(size_t size);
};

// A block of records, which follow it.
struct Block {
	Block *next, **link;
	size_t size; // of one, and the index of its list
	uint32_t room, used, fresh;
	Live *first; // of those that were freed: the next is where a freed one has its object

	Live *At(uint32_t i) { return reinterpret_cast<Live *>(reinterpret_cast<uint8_t *>(this + 1) + i * size); }
	void Put(Block **list)
	{
		next = *list;
		link = list;
		if (next)
			next->link = &next;
		*list = this;
	}
	void Remove()
	{
		*link = next;
		if (next)
			next->link = link;
	}
};

template <typename F> void Records::All(F each)
{
	for (Size &s : sizes)
		for (Block *b : {s.free, s.full})
			for (; b; b = b->next)
				for (uint32_t i = 0; i < b->fresh; i++)
					if (b->At(i)->block)
						each(b->At(i));
}

} // namespace hotspan
