// Burns CPU in known functions until its input ends, and calls another one meanwhile. Then it calls a third one 123
// times. It prints "ready PID" on stderr when it starts.
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

// Bun has such a text, too, and no V8.
const char version[] = "\0" "14.6.202.34-node.20";

volatile unsigned sink;

__attribute__((noinline)) void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) void outer(unsigned n)
{
	burn(n);
	sink++; // burn must not be a tail call
}

__attribute__((noinline)) void warm(void) { sink++; }
__attribute__((noinline)) void counted(void) { sink--; }

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	fprintf(stderr, "ready %d\n", getpid());
	while (!poll(&input, 1, 0)) {
		outer(3000000);
		warm();
	}
	for (int i = 0; i < 123; i++)
		counted();
	return 0;
}
