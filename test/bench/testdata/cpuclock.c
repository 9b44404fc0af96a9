// An add-on for Node.js: the CPU time of the calling thread in nanoseconds. What Node itself has of it
// (process.threadCpuUsage) moves by the kernel's ticks, of 1 to 10 ms.
#include <node_api.h>
#include <time.h>

static napi_value cpu(napi_env env, napi_callback_info info)
{
	struct timespec t;
	napi_value value;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	napi_create_double(env, t.tv_sec * 1e9 + t.tv_nsec, &value);
	return value;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "cpu", NAPI_AUTO_LENGTH, cpu, 0, &function);
	return function;
}
