// An add-on for Node.js: publish(payload) publishes a process context, or changes it (OpenTelemetry, OTEP 4719).
#define _GNU_SOURCE
#include <node_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

struct header {
	char signature[8];
	uint32_t version, size;
	volatile uint64_t published;
	void *payload;
};

static struct header *header;

static struct header *map(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	int file = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *at = MAP_FAILED;
	if (file >= 0 && !ftruncate(file, size))
		at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (file >= 0)
		close(file);
	if (at == MAP_FAILED)
		at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(at, size, MADV_DONTFORK);
	return at;
}

static napi_value publish(napi_env env, napi_callback_info info)
{
	size_t argc = 1, size;
	napi_value argv[1];
	void *data, *payload;
	struct timespec now;
	napi_get_cb_info(env, info, &argc, argv, 0, 0);
	napi_get_buffer_info(env, argv[0], &data, &size);
	payload = memcpy(malloc(size), data, size); // the one before stays, for who reads it now
	if (!header)
		header = map();
	header->published = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(header->signature, "OTEL_CTX", 8);
	header->version = 2;
	header->size = size;
	header->payload = payload;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	clock_gettime(CLOCK_BOOTTIME, &now);
	header->published = now.tv_sec * 1000000000ull + now.tv_nsec;
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, sysconf(_SC_PAGESIZE), "OTEL_CTX");
	return 0;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "publish", NAPI_AUTO_LENGTH, publish, 0, &function);
	napi_set_named_property(env, exports, "publish", function);
	return exports;
}
