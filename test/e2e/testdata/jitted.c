// A JIT compiler of small functions, which writes perf's jitdump of what it makes. Each function f0 to f7 is called by
// a C function of its own, call_f0 to call_f7, so that a stack tells by itself which name is right. Code is moved, and
// its place is used again; a record is incomplete for some time, and one comes late.
//
// As a program it is called with the folder for the file, "big" or "little" for its byte order, and milliseconds. It
// prints "ready PID" on stderr when it has begun. As an add-on for Node.js (-DADDON) it exports a function of the same
// arguments.
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLACE 4096 // bytes from one place for code to the next

static int file = -1, big;
static uint8_t *places, record[8192];
static size_t length;
static uint64_t pieces;

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void put(const void *bytes, size_t n)
{
	memcpy(record + length, bytes, n);
	length += n;
}

static void put32(uint32_t n)
{
	n = big ? htobe32(n) : htole32(n);
	put(&n, 4);
}

static void put64(uint64_t n)
{
	n = big ? htobe64(n) : htole64(n);
	put(&n, 8);
}

static void begin(uint32_t kind, uint64_t time)
{
	length = 0;
	put32(kind);
	put32(0);
	put64(time);
}

// Writes the first bytes of the record; all of them if there are not so many.
static void end(size_t most)
{
	uint32_t size = big ? htobe32(length) : htole32(length);
	memcpy(record + 4, &size, 4);
	if (write(file, record, most < length ? most : length) < 0)
		abort();
}

static void open_dump(const char *folder)
{
	char name[4096];
	snprintf(name, sizeof(name), "%s/jit-%d.dump", folder, getpid());
	file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
	length = 0;
	put32(0x4a695444); // magic number, version, size of the header, x86-64
	put32(1);
	put32(40);
	put32(62);
	put32(0);
	put32(getpid());
	put64(now());
	put64(0);
	if (file < 0 || write(file, record, 40) != 40 ||
	    mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
		abort();
	places = mmap(0, 16 * PLACE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (places == MAP_FAILED)
		abort();
}

// A function that counts down from its argument, with a body of its own, and keeps a frame pointer.
static size_t make(uint8_t *at, int function)
{
	static const uint8_t bodies[8][3] = {
		{0x48, 0xff, 0xc0}, {0x48, 0x01, 0xf8}, {0x48, 0x31, 0xf8}, {0x48, 0xf7, 0xd0}, // inc, add, xor, not
		{0x48, 0xd1, 0xe0}, {0x48, 0x29, 0xf8}, {0x48, 0xf7, 0xd8}, {0x48, 0xc1, 0xc0}, // shl, sub, neg, rol
	};
	uint8_t *p = at;
	memcpy(p, "\x55\x48\x89\xe5", 4); // push rbp; mov rbp, rsp
	p += 4;
	uint8_t *loop = p;
	for (int i = 0; i < 8 + function; i++) {
		memcpy(p, bodies[function], 3);
		p += 3;
		if (function == 7)
			*p++ = 5; // by how much to rotate
	}
	memcpy(p, "\xff\xcf\x75", 3); // dec edi; jnz loop
	p += 4;
	p[-1] = loop - p;
	memcpy(p, "\x5d\xc3", 2); // pop rbp; ret
	return p + 2 - at;
}

struct code {
	int function;
	uint8_t *at;
	size_t size;
	uint64_t index, time;
};

static struct code emit(int function, int place)
{
	struct code c = {function, places + place * PLACE, 0, ++pieces, 0};
	c.size = make(c.at, function);
	c.time = now();
	return c;
}

static void write_lines(const struct code *c)
{
	char name[16];
	begin(2, c->time);
	put64((uintptr_t)c->at);
	put64(2);
	for (int i = 0; i < 2; i++) {
		put64((uintptr_t)c->at + i * 4); // behind the prologue
		put32(100 * (i + 1) + c->function);
		put32(0);
		snprintf(name, sizeof(name), "/src/f%d.x", c->function);
		put(name, strlen(name) + 1);
	}
	end(-1);
}

static void write_load(const struct code *c, size_t most)
{
	char name[3] = {'f', '0' + c->function};
	begin(0, c->time);
	put32(getpid());
	put32(getpid());
	put64((uintptr_t)c->at);
	put64((uintptr_t)c->at);
	put64(c->size);
	put64(c->index);
	put(name, 3);
	put(c->at, c->size);
	end(most);
}

static void move(struct code *c, int place)
{
	uint8_t *to = places + place * PLACE;
	memcpy(to, c->at, c->size);
	memset(c->at, 0xcc, c->size);
	begin(1, now());
	put32(getpid());
	put32(getpid());
	put64((uintptr_t)to);
	put64((uintptr_t)c->at);
	put64((uintptr_t)to);
	put64(c->size);
	put64(c->index);
	end(-1);
	c->at = to;
}

static volatile uint64_t sink;

#define CALL(n)                                                                                                        \
	__attribute__((noinline)) static void call_f##n(const struct code *c, int ms)                                  \
	{                                                                                                              \
		for (uint64_t until = now() + ms * 1000000ull; now() < until;)                                         \
			sink += ((uint64_t(*)(uint32_t))c->at)(50000);                                                 \
	}

CALL(0) CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7)
static void (*const calls[])(const struct code *, int) = {
	call_f0, call_f1, call_f2, call_f3, call_f4, call_f5, call_f6, call_f7,
};

static void say(const struct code *c)
{
	write_lines(c);
	write_load(c, -1);
}

__attribute__((noinline)) static void compile_and_run(void)
{
	for (int f = 0; f < 4; f++) { // the same two places, again and again
		struct code c = emit(f, f & 1);
		say(&c);
		calls[f](&c, 10);
	}
	struct code moved = emit(4, 2); // to where f3 is
	say(&moved);
	calls[4](&moved, 10);
	move(&moved, 1);
	calls[4](&moved, 10);
	struct code other = emit(5, 2); // and another where it was
	say(&other);
	calls[5](&other, 10);
	struct code late = emit(6, 2); // instead of f5, of which the file says nothing for some time
	calls[6](&late, 250);
	say(&late);
	calls[6](&late, 10);
	struct code partial = emit(7, 3);
	write_lines(&partial);
	write_load(&partial, 30);
	calls[7](&partial, 10);
	if (write(file, record + 30, length - 30) < 0)
		abort();
	calls[7](&partial, 20);
}

static void run(const char *folder, const char *order, int ms)
{
	if (file < 0) {
		big = !strcmp(order, "big");
		open_dump(folder);
	}
	for (uint64_t until = now() + ms * 1000000ull; now() < until;)
		compile_and_run();
}

#ifdef ADDON
#include <node_api.h>

static napi_value run_for(napi_env env, napi_callback_info info)
{
	size_t n = 3;
	napi_value v[3];
	char folder[2048], order[8];
	int32_t ms;
	if (napi_get_cb_info(env, info, &n, v, 0, 0) || napi_get_value_string_utf8(env, v[0], folder, sizeof(folder), &n) ||
	    napi_get_value_string_utf8(env, v[1], order, sizeof(order), &n) || napi_get_value_int32(env, v[2], &ms))
		abort();
	run(folder, order, ms);
	return 0;
}

NAPI_MODULE_INIT()
{
	napi_value f;
	return napi_create_function(env, "run", NAPI_AUTO_LENGTH, run_for, 0, &f) ? 0 : f;
}
#else
int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	run(argv[1], argv[2], 0);
	fprintf(stderr, "ready %d\n", getpid());
	run(argv[1], argv[2], atoi(argv[3]));
	return 0;
}
#endif
