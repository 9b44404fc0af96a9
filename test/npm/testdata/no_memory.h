/* For the compiler to include first: of the smallest blocks, which only records are in, each third has no memory. */
#include <stdlib.h>
#include <unistd.h>

static inline void *scarce(size_t size)
{
	static int calls;
	if (size > 256 || calls++ % 3)
		return malloc(size);
	return write(2, "none\n", 5) == 5 ? 0 : malloc(size);
}
#define malloc scarce
