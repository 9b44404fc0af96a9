/*
 * Contexts of the npm package hotspan for threads that run no JavaScript, for add-ons in C or C++. A job that is
 * started in a context has the labels of that on its own thread too:
 *
 *   job->context = hotspan_context_capture();        // where JavaScript called the add-on
 *
 *   hotspan_scope scope;                             // on any other thread, as often as wanted
 *   hotspan_context_enter(&scope, job->context);
 *   ...
 *   hotspan_context_leave(&scope);
 *
 *   hotspan_context_release(job->context);           // at the end, on any thread
 *
 * There is nothing to link with: if no JavaScript has loaded the package, contexts are NULL, and all calls do nothing.
 * Linux with glibc. Safe for concurrent use, but for one scope, which is of one thread.
 */
#ifndef HOTSPAN_H
#define HOTSPAN_H

#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#endif
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context as it was when it was captured: what is set later is not in it. */
typedef struct hotspan_context hotspan_context;

/* What a thread returns to. */
typedef struct hotspan_scope {
	hotspan_context *entered;
	const void *before;
} hotspan_scope;

/* What the package's add-on has under the name hotspan_native_1. */
typedef struct hotspan_functions {
	hotspan_context *(*capture)(void);
	void (*enter)(hotspan_scope *scope, hotspan_context *context);
	void (*leave)(hotspan_scope *scope);
	void (*release)(hotspan_context *context);
} hotspan_functions;

struct hotspan_context {
	const hotspan_functions *by;
};

#ifdef __linux__
#define HOTSPAN_MOST 4 /* copies of the package that are found */

typedef struct hotspan_search {
	pthread_mutex_t mutex;
	const hotspan_functions *found[HOTSPAN_MOST];
	int n, asked;
	unsigned long long adds; /* libraries that had been loaded at the last search */
	char names[16][512];     /* of add-ons */
	int n_names;
} hotspan_search;

static int hotspan_count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = info->dlpi_adds;
	return 1;
}

static int hotspan_name(struct dl_phdr_info *info, size_t size, void *data)
{
	hotspan_search *s = (hotspan_search *)data;
	size_t length = strlen(info->dlpi_name);
	(void)size;
	if (length > 5 && length < sizeof(s->names[0]) && !strcmp(info->dlpi_name + length - 5, ".node") &&
	    strstr(info->dlpi_name, "hotspan") && s->n_names < 16)
		strcpy(s->names[s->n_names++], info->dlpi_name);
	return 0;
}

/* Finds the package's add-ons, unless no library has been loaded since. */
static void hotspan_find(hotspan_search *s)
{
	unsigned long long adds = 0;
	int i;
	dl_iterate_phdr(hotspan_count, &adds);
	if (s->asked && adds == s->adds)
		return;
	s->asked = 1;
	s->adds = adds;
	s->n = s->n_names = 0;
	dl_iterate_phdr(hotspan_name, s);
	for (i = 0; i < s->n_names && s->n < HOTSPAN_MOST; i++) {
		void *library = dlopen(s->names[i], RTLD_LAZY | RTLD_NOLOAD);
		const void *functions = library ? dlsym(library, "hotspan_native_1") : NULL;
		if (functions)
			s->found[s->n++] = (const hotspan_functions *)functions;
		if (library)
			dlclose(library); /* it is never unloaded */
	}
}
#endif

/*
 * The context of the JavaScript that runs, on a thread that does, inside a call of that; on another thread the one that
 * it has entered. NULL for none. It calls into V8, so not where that is forbidden, as in finalizers.
 */
static inline hotspan_context *hotspan_context_capture(void)
{
	hotspan_context *context = NULL;
#ifdef __linux__
	static hotspan_search search = {PTHREAD_MUTEX_INITIALIZER, {NULL}, 0, 0, 0, {{0}}, 0};
	const hotspan_functions *found[HOTSPAN_MOST];
	int i, n;
	pthread_mutex_lock(&search.mutex);
	hotspan_find(&search);
	n = search.n;
	memcpy(found, search.found, sizeof(found));
	pthread_mutex_unlock(&search.mutex);
	for (i = 0; i < n && !context; i++)
		context = found[i]->capture();
#endif
	return context;
}

/* Makes a context, or none, the current one of a thread that runs no JavaScript. Scopes are left in reverse order. */
static inline void hotspan_context_enter(hotspan_scope *scope, hotspan_context *context)
{
	scope->entered = context;
	scope->before = NULL;
	if (context)
		context->by->enter(scope, context);
}

/* Makes the context from before the current one. */
static inline void hotspan_context_leave(hotspan_scope *scope)
{
	if (scope->entered)
		scope->entered->by->leave(scope);
	scope->entered = NULL;
}

/* Ends the use of a context that was captured. Threads that are in it stay in it. */
static inline void hotspan_context_release(hotspan_context *context)
{
	if (context)
		context->by->release(context);
}

#ifdef __cplusplus
}
#endif
#endif
