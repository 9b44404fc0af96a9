// What libstdc++ and libgcc take from glibc and musl does not have, so that a Node.js for musl runs where only those for
// glibc are installed; and a function of libstdc++ 13, which Node.js calls, for an older one.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded;
unsigned __cpu_model[4];

int __cpu_indicator_init(void) { return 0; }

uint32_t arc4random(void)
{
	uint32_t x = 0;
	getrandom(&x, sizeof x, 0);
	return x;
}

size_t __strftime_l(char *s, size_t n, const char *f, const struct tm *t, locale_t l)
{
	return strftime_l(s, n, f, t, l);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }

// Node.js has no such numbers.
int strfromf128(char *s, size_t n, const char *f, long double x) { abort(); }
long double strtof128(const char *s, char **end) { abort(); }

// Destructors of thread-local objects do not run.
int __cxa_thread_atexit_impl(void (*f)(void *), void *object, void *dso) { return 0; }

// std::string::_M_replace_cold(char *p, size_t len1, const char *s, size_t len2, size_t how_much): replaces where the
// new text may be a part of the string.
void _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm(
	void *self, char *p, size_t len1, const char *s, size_t len2, size_t rest)
{
	char *text = malloc(len2 + 1);
	memcpy(text, s, len2);
	memmove(p + len2, p + len1, rest);
	memcpy(p, text, len2);
	free(text);
}

// struct dl_find_object of glibc's <dlfcn.h>.
struct found {
	unsigned long long flags;
	void *start, *end, *map, *eh_frame;
	unsigned long long reserved[7];
};

struct search {
	uintptr_t pc;
	struct found *found;
};

static int look(struct dl_phdr_info *i, size_t size, void *context)
{
	struct search *s = context;
	s->found->eh_frame = s->found->start = 0;
	for (int k = 0; k < i->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &i->dlpi_phdr[k];
		uintptr_t at = i->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_GNU_EH_FRAME)
			s->found->eh_frame = (void *)at;
		if (p->p_type == PT_LOAD && s->pc - at < p->p_memsz) {
			s->found->start = (void *)at;
			s->found->end = (void *)(at + p->p_memsz);
		}
	}
	return s->found->start && s->found->eh_frame;
}

int _dl_find_object(void *pc, struct found *found)
{
	struct search s = {(uintptr_t)pc, found};
	memset(found, 0, sizeof *found);
	return dl_iterate_phdr(look, &s) ? 0 : -1;
}
