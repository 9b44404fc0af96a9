// A list in memory of malloc's: the add-on needs no C++ library. What has no room in memory is left out. Its elements
// may be moved as bytes.

#pragma once

#include <new>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utility>

namespace hotspan {

template <typename T> class List {
public:
	List() = default;
	List(const List &) = delete;
	~List() { Clear(); }

	T *begin() const { return all; }
	T *end() const { return all + count; }
	size_t Size() const { return count; }

	// Adds an element at the end, or before another one. False if there is no room.
	bool Add(T element) { return Add(end(), std::move(element)); }
	bool Add(T *before, T element)
	{
		size_t at = before - all;
		if (count == room && !Grow())
			return false;
		memmove(static_cast<void *>(all + at + 1), all + at, (count - at) * sizeof(T));
		new (all + at) T(std::move(element));
		count++;
		return true;
	}

	void Remove(T *element)
	{
		element->~T();
		memmove(static_cast<void *>(element), element + 1, (end() - element - 1) * sizeof(T));
		count--;
	}

	// Leaves the elements up to one out.
	void CutAt(T *element)
	{
		while (end() > element)
			Remove(end() - 1);
	}

	void Clear()
	{
		CutAt(all);
		free(all);
		all = nullptr;
		count = room = 0;
	}

	void Swap(List *other)
	{
		std::swap(all, other->all);
		std::swap(count, other->count);
		std::swap(room, other->room);
	}

private:
	bool Grow()
	{
		size_t more = room ? room * 2 : 64;
		void *grown = realloc(static_cast<void *>(all), more * sizeof(T));
		if (!grown)
			return false;
		all = static_cast<T *>(grown);
		room = more;
		return true;
	}

	T *all = nullptr;
	size_t count = 0, room = 0;
};

} // namespace hotspan
