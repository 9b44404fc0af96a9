// An add-on for Node.js: when it is loaded, the process has memory in which nothing can be read: a page fault there
// waits for a program that never answers. It has the name of a process context, which hotspan reads at attach.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <node_api.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

NAPI_MODULE_INIT()
{
	size_t size = sysconf(_SC_PAGESIZE);
	int file = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, size))
		abort();
	void *at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {
		.range = {.start = (unsigned long)at, .len = size}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (at == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		abort();
	return exports;
}
