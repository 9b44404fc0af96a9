// Prints where the variables are, as two of its threads see them: "THREAD-POINTER ADDRESS ADDRESS" in hexadecimal, a
// line a thread, then "ready"; then it waits for the end of its input. An argument is a library to open first.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifdef LINKED
void *address_of_thread_context(void), *address_of_node_context(void);
#endif
static void *(*thread_context)(void), *(*node_context)(void);

static sem_t told;

static void *tell(void *thread)
{
	uintptr_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	printf("%lx %lx %lx\n", (long)self, (long)thread_context(), (long)node_context());
	fflush(stdout);
	sem_post(&told);
	if (thread)
		pause();
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
#ifdef LINKED
	thread_context = address_of_thread_context;
	node_context = address_of_node_context;
#endif
	if (argc > 1) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			puts(dlerror());
			return 1;
		}
		thread_context = (void *(*)(void))dlsym(library, "address_of_thread_context");
		node_context = (void *(*)(void))dlsym(library, "address_of_node_context");
	}
	sem_init(&told, 0, 0);
	pthread_create(&thread, 0, tell, &thread);
	sem_wait(&told);
	tell(0);
	puts("ready");
	fflush(stdout);
	char c;
	return read(0, &c, 1) < 0;
}
