// Makes the start of a program take a second longer, before its main function: for LD_PRELOAD.

#include <unistd.h>

__attribute__((constructor)) static void wait_first(void)
{
	usleep(999999);
}
