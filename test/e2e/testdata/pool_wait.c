// wait() has libuv's pool run a job that is not Node's, which waits for a condition for 50 ms, and then calls back.

#include <node_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

struct job {
	uv_work_t work;
	napi_env env;
	napi_ref callback;
};

void waitInPool(uv_work_t *work)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 50 * 1000 * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static void done(uv_work_t *work, int status)
{
	struct job *job = work->data;
	napi_handle_scope scope;
	napi_value global, callback;
	napi_open_handle_scope(job->env, &scope);
	napi_get_global(job->env, &global);
	napi_get_reference_value(job->env, job->callback, &callback);
	napi_call_function(job->env, global, callback, 0, NULL, NULL);
	napi_delete_reference(job->env, job->callback);
	napi_close_handle_scope(job->env, scope);
	free(job);
}

static napi_value wait(napi_env env, napi_callback_info info)
{
	struct job *job = calloc(1, sizeof(*job));
	size_t n = 1;
	napi_value callback;
	uv_loop_t *loop;
	job->env = env;
	job->work.data = job;
	napi_get_cb_info(env, info, &n, &callback, NULL, NULL);
	napi_create_reference(env, callback, 1, &job->callback);
	napi_get_uv_event_loop(env, &loop);
	uv_queue_work(loop, &job->work, waitInPool, done);
	return NULL;
}

NAPI_MODULE_INIT()
{
	napi_value f;
	napi_create_function(env, "wait", NAPI_AUTO_LENGTH, wait, NULL, &f);
	napi_set_named_property(env, exports, "wait", f);
	return exports;
}
