// Loads two libraries by turns, each at the place where the other one was, and writes down when it was in which:
//
//	begin end function address
//
// Times are of CLOCK_REALTIME in nanoseconds. With -DNAME=f it is a library whose function f computes.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

#ifdef NAME

__attribute__((noinline)) long NAME(long end)
{
	long n = 0;
	while (now() < end)
		for (int i = 0; i < 1000; i++)
			n += i * n + 1;
	return n;
}

long compute(long end) { return NAME(end) + 1; }

#else

int main(int count, char **paths)
{
	const long turn = 500 * 1000 * 1000;
	for (int i = 1;; i = i + 1 < count ? i + 1 : 1) {
		void *library = dlopen(paths[i], RTLD_NOW);
		long (*compute)(long) = (long (*)(long))dlsym(library, "compute");
		long begin = now();
		compute(begin + turn);
		printf("%ld %ld %s %p\n", begin, now(), paths[i], (void *)compute);
		fflush(stdout);
		if (dlclose(library))
			return 1;
	}
}

#endif
