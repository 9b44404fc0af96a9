// An add-on for Node.js: work(milliseconds, callback) has a thread of libuv's pool use the CPU for a time.
#define _GNU_SOURCE
#include <node_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct job {
	napi_async_work work;
	napi_ref callback;
	int64_t milliseconds;
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void burn_work(napi_env env, void *data)
{
	struct job *job = data;
	int64_t end = now() + job->milliseconds * 1000000;
	volatile unsigned x = 1;
	while (now() < end)
		for (int i = 0; i < 2000; i++)
			x = x * 1664525 + i;
}

static void complete(napi_env env, napi_status status, void *data)
{
	struct job *job = data;
	napi_value global, callback;
	napi_get_global(env, &global);
	napi_get_reference_value(env, job->callback, &callback);
	napi_delete_reference(env, job->callback);
	napi_delete_async_work(env, job->work);
	free(job);
	napi_call_function(env, global, callback, 0, 0, 0);
}

static napi_value work(napi_env env, napi_callback_info info)
{
	napi_value arguments[2], name;
	size_t n = 2;
	struct job *job = calloc(1, sizeof(*job));
	napi_get_cb_info(env, info, &n, arguments, 0, 0);
	napi_get_value_int64(env, arguments[0], &job->milliseconds);
	napi_create_reference(env, arguments[1], 1, &job->callback);
	napi_create_string_utf8(env, "work", NAPI_AUTO_LENGTH, &name);
	napi_create_async_work(env, 0, name, burn_work, complete, job, &job->work);
	napi_queue_async_work(env, job->work);
	return 0;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "work", NAPI_AUTO_LENGTH, work, 0, &function);
	napi_set_named_property(env, exports, "work", function);
	return exports;
}
