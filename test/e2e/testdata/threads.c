// An add-on for Node.js whose threads burn CPU, each for one made-up request after the other, and publish which: as
// records of OpenTelemetry's thread context (OTEP 4947), or with -DLABELS as Polar Signals' custom labels (ABI 1). They
// write down what was published when, as the programs of test/programs do.
//
// -DVARIABLE=… what to do with the thread-local variable: DEFINE it and use it, DEFINE_ONLY, or USE that of another file.
// -DFILLER=n makes the thread-local block larger by n bytes.
#define _GNU_SOURCE
#include <node_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFINE 1
#define DEFINE_ONLY 2
#define USE 3
#ifndef VARIABLE
#define VARIABLE DEFINE
#endif

#ifdef LABELS
#define NAME custom_labels_current_set
#else
#define NAME otel_thread_ctx_v1
#endif

#if VARIABLE == USE
extern __thread void *NAME;
#else
#ifdef FILLER
__thread char filler[FILLER];
#endif
__thread void *NAME;
#ifdef LABELS
const uint32_t custom_labels_abi_version = 1;
#endif
#endif

#if VARIABLE != DEFINE_ONLY

struct request {
	uint8_t trace[16], span[8];
	char route[32], user[256];
	int with_user;
};

struct record {
	uint8_t trace[16], span[8], valid, flags;
	uint16_t size;
	uint8_t attributes[612];
};

struct text {
	size_t length;
	const char *at;
};

struct labels {
	struct text *storage;
	size_t count, capacity;
};

static void hex(char *to, const uint8_t *from, int n)
{
	for (int i = 0; i < n; i++)
		sprintf(to + 2 * i, "%02x", from[i]);
}

#ifdef LABELS
struct published {
	struct labels set;
	struct text storage[12];
	char trace[33], span[17];
};

static void fill(struct published *p, const struct request *r)
{
	int n = 0;
	hex(p->trace, r->trace, 16);
	hex(p->span, r->span, 8);
#define LABEL(key, value) p->storage[n++] = (struct text){strlen(key), key}, p->storage[n++] = (struct text){strlen(value), value}
	LABEL("trace_id", p->trace);
	p->storage[n++] = (struct text){5, 0}; // no key: no label
	p->storage[n++] = (struct text){4, "none"};
	LABEL("span_id", p->span);
	LABEL("http.route", r->route);
	if (r->with_user)
		LABEL("user", r->user);
	LABEL("http.route", "the second of a key does not count");
	p->set = (struct labels){p->storage, n / 2, 6};
}
#else
struct published {
	struct record record;
};

static void attribute(struct record *to, uint8_t key, const char *value)
{
	uint8_t length = strlen(value);
	to->attributes[to->size] = key;
	to->attributes[to->size + 1] = length;
	memcpy(to->attributes + to->size + 2, value, length);
	to->size += 2 + length;
}

static void fill(struct published *p, const struct request *r)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->record.trace, r->trace, 16);
	memcpy(p->record.span, r->span, 8);
	attribute(&p->record, 0, "the first of a key does not count");
	attribute(&p->record, 0, r->route);
	if (r->with_user)
		attribute(&p->record, 1, r->user);
	p->record.valid = 1;
}
#endif

struct journal {
	char *text;
	size_t length, capacity;
};

static struct journal journals[16];
static int threads;
static volatile int stopped;
static uint64_t users_from;

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static volatile uint32_t sink;

static void burn(uint64_t ns)
{
	uint64_t end = now() + ns;
	do
		for (int i = 0; i < 4000; i++)
			sink = sink * 1664525 + i;
	while (now() < end);
}

// spend burns for a request, or for none, and writes it down.
static void spend(struct journal *j, const struct request *r, unsigned *seed)
{
	char trace[33], span[17];
	uint64_t start = now();
	burn(1000000 + rand_r(seed) % 3000000);
	uint64_t end = now();
	if (j->capacity - j->length < 1024)
		j->text = realloc(j->text, j->capacity = 2 * j->capacity + 4096);
	j->length += sprintf(j->text + j->length, "{\"kind\":\"interval\",\"start\":%lu,\"end\":%lu,\"tid\":%d", start, end, gettid());
	if (r) {
		hex(trace, r->trace, 16);
		hex(span, r->span, 8);
		j->length += sprintf(j->text + j->length, ",\"label\":{\"trace_id\":\"%s\",\"span_id\":\"%s\",\"route\":\"%s\",\"user\":\"%s\"}",
				     trace, span, r->route, r->with_user ? r->user : "");
	}
	j->length += sprintf(j->text + j->length, "}\n");
}

static void make(struct request *r, unsigned *seed)
{
	for (int i = 0; i < 16; i++)
		r->trace[i] = rand_r(seed) >> 7;
	for (int i = 0; i < 8; i++)
		r->span[i] = rand_r(seed) >> 7;
	sprintf(r->route, "/route/%d", rand_r(seed) % 10);
	int length = 1 + rand_r(seed) % 255;
	memset(r->user, 'a' + rand_r(seed) % 26, length);
	r->user[length] = 0;
	r->with_user = now() > users_from;
}

static void *work(void *argument)
{
	struct journal *j = argument;
	unsigned seed = 1 + (j - journals);
	struct request r;
	struct published p;
	while (!stopped) {
		make(&r, &seed);
		fill(&p, &r);
		NAME = &p;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		spend(j, &r, &seed);
#ifndef LABELS
		p.record.valid = 0; // as while it is changed
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (rand_r(&seed) % 4 == 0)
			spend(j, 0, &seed);
#endif
		NAME = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (rand_r(&seed) % 4 == 0)
			spend(j, 0, &seed);
	}
	return 0;
}

// start(threads, milliseconds until users are published)
static napi_value start(napi_env env, napi_callback_info info)
{
	size_t argc = 2;
	napi_value argv[2];
	int64_t n[2];
	pthread_t thread;
	napi_get_cb_info(env, info, &argc, argv, 0, 0);
	for (int i = 0; i < 2; i++)
		napi_get_value_int64(env, argv[i], &n[i]);
	threads = n[0] < 16 ? n[0] : 16;
	users_from = now() + n[1] * 1000000;
	for (int i = 0; i < threads; i++)
		pthread_create(&thread, 0, work, &journals[i]);
	return 0;
}

static napi_value stop(napi_env env, napi_callback_info info)
{
	stopped = 1;
	return 0;
}

static napi_value lines(napi_env env, napi_callback_info info)
{
	napi_value list, text;
	napi_create_array(env, &list);
	for (int i = 0; i < threads; i++) {
		napi_create_string_utf8(env, journals[i].text, journals[i].length, &text);
		napi_set_element(env, list, i, text);
	}
	return list;
}

NAPI_MODULE_INIT()
{
	napi_value function;
	napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, 0, &function);
	napi_set_named_property(env, exports, "start", function);
	napi_create_function(env, "stop", NAPI_AUTO_LENGTH, stop, 0, &function);
	napi_set_named_property(env, exports, "stop", function);
	napi_create_function(env, "lines", NAPI_AUTO_LENGTH, lines, 0, &function);
	napi_set_named_property(env, exports, "lines", function);
	return exports;
}
#endif
