// An add-on for Node.js: run(kind, milliseconds, callback) has a thread that runs no JavaScript use the CPU for a time,
// in the context of the caller: a thread of libuv's pool by uv_queue_work ("queue"), or one of its own ("thread"). The
// callback gets when that began and ended in the context, in nanoseconds of the monotonic clock, as texts, and the
// thread. With -1 milliseconds the callback is called first, and the thread waits in the context until release(). has()
// says whether the caller has a context.
#include <hotspan.h>
#include <node_api.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include <string>
#include <thread>

namespace {

struct Job {
	napi_env env;
	napi_ref callback;
	hotspan_context *context;
	int64_t milliseconds; // -1: until release()
	bool threaded;
	uint64_t start, end;
	int tid;
	sem_t held;
	uv_work_t work;
	uv_async_t done;
};

Job *last; // that waits

uint64_t Now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * uint64_t{1000000000} + t.tv_nsec;
}

void Burn(uint64_t ns)
{
	uint64_t end = Now() + ns;
	volatile unsigned x = 1;
	while (Now() < end)
		for (int i = 0; i < 2000; i++)
			x = x * 1664525 + i;
}

void Do(Job *j)
{
	hotspan_scope outer, none, inner;
	j->tid = gettid();
	Burn(200000);
	hotspan_context_enter(&outer, j->context);
	j->start = Now();
	if (j->milliseconds < 0) {
		last = j;
		uv_async_send(&j->done);
		while (sem_wait(&j->held)) // a reader that stops the thread ends the wait
			;
	} else {
		Burn(j->milliseconds * 500000);
		hotspan_context *again = hotspan_context_capture(); // as code would that hands work on
		hotspan_context_enter(&inner, again);
		hotspan_context_release(again);
		Burn(j->milliseconds * 500000);
		hotspan_context_leave(&inner);
	}
	j->end = Now();
	hotspan_context_leave(&outer);
	hotspan_context_enter(&none, nullptr);
	hotspan_context_leave(&none);
	Burn(200000);
}

void Call(Job *j)
{
	napi_handle_scope scope;
	napi_value callback, global, arguments[3];
	napi_open_handle_scope(j->env, &scope);
	napi_get_reference_value(j->env, j->callback, &callback);
	napi_get_global(j->env, &global);
	std::string start = std::to_string(j->start), end = std::to_string(j->end);
	napi_create_string_utf8(j->env, start.c_str(), start.size(), &arguments[0]);
	napi_create_string_utf8(j->env, end.c_str(), end.size(), &arguments[1]);
	napi_create_int32(j->env, j->tid, &arguments[2]);
	napi_delete_reference(j->env, j->callback);
	hotspan_context_release(j->context);
	napi_make_callback(j->env, nullptr, global, callback, 3, arguments, nullptr);
	napi_close_handle_scope(j->env, scope);
}

void Done(uv_async_t *done)
{
	Job *j = static_cast<Job *>(done->data);
	Call(j);
	uv_close(reinterpret_cast<uv_handle_t *>(done), [](uv_handle_t *h) {
		Job *j = static_cast<Job *>(h->data);
		if (j->milliseconds >= 0) // else its thread may use it
			delete j;
	});
}

void Start(Job *j)
{
	uv_loop_t *loop;
	napi_get_uv_event_loop(j->env, &loop);
	j->work.data = j->done.data = j;
	if (j->threaded || j->milliseconds < 0)
		uv_async_init(loop, &j->done, Done);
	if (j->threaded) {
		std::thread([j] {
			Do(j);
			if (j->milliseconds >= 0)
				uv_async_send(&j->done);
		}).detach();
		return;
	}
	uv_queue_work(loop, &j->work, [](uv_work_t *w) { Do(static_cast<Job *>(w->data)); },
		      [](uv_work_t *w, int) {
			      Job *j = static_cast<Job *>(w->data);
			      if (j->milliseconds < 0)
				      return;
			      Call(j);
			      delete j;
		      });
}

napi_value Run(napi_env env, napi_callback_info info)
{
	size_t n = 3;
	napi_value arguments[3];
	char kind[16];
	Job *j = new Job();
	napi_get_cb_info(env, info, &n, arguments, nullptr, nullptr);
	napi_get_value_string_utf8(env, arguments[0], kind, sizeof(kind), nullptr);
	napi_get_value_int64(env, arguments[1], &j->milliseconds);
	napi_create_reference(env, arguments[2], 1, &j->callback);
	j->env = env;
	sem_init(&j->held, 0, 0);
	j->threaded = !strcmp(kind, "thread");
	j->context = hotspan_context_capture();
	Start(j);
	return nullptr;
}

napi_value Release(napi_env, napi_callback_info)
{
	sem_post(&last->held);
	return nullptr;
}

napi_value Has(napi_env env, napi_callback_info)
{
	napi_value has;
	hotspan_context *context = hotspan_context_capture();
	napi_get_boolean(env, context != nullptr, &has);
	hotspan_context_release(context);
	return has;
}

} // namespace

NAPI_MODULE_INIT()
{
	napi_value function;
	for (auto &[name, f] : {std::pair<const char *, napi_callback>{"run", Run}, {"release", Release}, {"has", Has}}) {
		napi_create_function(env, name, NAPI_AUTO_LENGTH, f, nullptr, &function);
		napi_set_named_property(env, exports, name, function);
	}
	return exports;
}
