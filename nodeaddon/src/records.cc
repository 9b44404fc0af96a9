#include "records.h"

#include <algorithm>
#include <new>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

namespace hotspan {
namespace {

// The size of a block with records of so many bytes.
size_t BlockSize([[maybe_unused]] size_t size)
{
#ifdef HOTSPAN_RECORD_A_BLOCK // checkers of memory see a record that was freed, or is too short, only if it is malloc's
	return sizeof(Block) + size;
#else
	return 8160; // with what malloc adds, two pages
#endif
}

Live **Next(Live *l) { return reinterpret_cast<Live **>(&l->object); }

} // namespace

Block *Records::Add(size_t size)
{
	void *memory = malloc(BlockSize(size));
	if (!memory)
		return nullptr;
	Block *b = new (memory) Block();
	b->size = size;
	b->room = static_cast<uint32_t>((BlockSize(size) - sizeof(Block)) / size);
	if (!blocks.Add(std::upper_bound(blocks.begin(), blocks.end(), b), b)) {
		free(memory);
		return nullptr;
	}
	b->Put(&sizes[size / kStep].free);
	return b;
}

Live *Records::Make(size_t length)
{
	size_t size = (sizeof(Live) + length + kStep - 1) / kStep * kStep;
	if (length > kMost)
		return nullptr;
	Size &s = sizes[size / kStep];
	Block *b = s.free ? s.free : Add(size);
	if (!b)
		return nullptr;
	Live *l = b->first;
	if (l)
		b->first = *Next(l);
	else
		l = b->At(b->fresh++);
	if (++b->used == b->room) {
		b->Remove();
		b->Put(&s.full);
	}
	l->block = b;
	return l;
}

void Records::Free(Live *l)
{
	Block *b = l->block;
	Size &s = sizes[b->size / kStep];
	if (b->used-- == b->room) {
		b->Remove();
		b->Put(&s.free);
	}
	if (!b->used && b->next) { // one that is empty stays, if it is the last of the list
		b->Remove();
		blocks.Remove(std::lower_bound(blocks.begin(), blocks.end(), b));
		free(b);
		return;
	}
	l->block = nullptr;
	*Next(l) = b->first;
	b->first = l;
}

Live *Records::Find(uint64_t record)
{
	Block **after = std::upper_bound(blocks.begin(), blocks.end(), reinterpret_cast<Block *>(record));
	if (after == blocks.begin())
		return nullptr;
	Block *b = after[-1];
	size_t at = record - reinterpret_cast<uint64_t>(b->At(0)->record);
	if (at % b->size || at / b->size >= b->fresh)
		return nullptr;
	Live *l = b->At(static_cast<uint32_t>(at / b->size));
	return l->block ? l : nullptr;
}

Records::~Records()
{
	for (Size &s : sizes)
		for (Block *list : {s.free, s.full})
			for (Block *b = list, *next; b; b = next) {
				next = b->next;
				free(b);
			}
}

} // namespace hotspan
