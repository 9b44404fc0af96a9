// A program whose first thread ends, while another goes on. It prints "ready PID" on stderr before.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

volatile unsigned long sink;

__attribute__((noinline)) static void burn(void)
{
	for (int i = 0; i < 1000000; i++)
		sink += i;
}

static void *go_on(void *unused)
{
	for (;;)
		burn();
	return 0;
}

int main(void)
{
	pthread_t other;
	if (pthread_create(&other, 0, go_on, 0))
		return 1;
	fprintf(stderr, "ready %d\n", getpid());
	sleep(2);
	pthread_exit(0);
}
