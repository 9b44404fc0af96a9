// Numbers that wait for JavaScript to ask for them. What has no room in memory is left out.

#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace hotspan {

class Numbers {
public:
	Numbers() = default;
	Numbers(const Numbers &) = delete;
	~Numbers() { free(all); }

	// Adds a number, unless it is 0.
	void Add(double number)
	{
		if (number == 0 || (count == room && !Grow()))
			return;
		all[count++] = number;
	}

	// Moves the last ones, at most so many, and returns how many they are.
	uint32_t Take(double *to, size_t most)
	{
		size_t n = count < most ? count : most;
		if (n)
			memcpy(to, all + (count - n), n * sizeof(*to));
		count -= n;
		return static_cast<uint32_t>(n);
	}

	void Clear()
	{
		free(all);
		all = nullptr;
		count = room = 0;
	}

private:
	bool Grow()
	{
		size_t more = room ? room * 2 : 256;
		void *grown = realloc(all, more * sizeof(*all));
		if (!grown)
			return false;
		all = static_cast<double *>(grown);
		room = more;
		return true;
	}

	double *all = nullptr;
	size_t count = 0, room = 0;
};

} // namespace hotspan
