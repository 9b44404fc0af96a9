// An add-on for Node.js, whose functions are called known numbers of times: each that it exports does one thing.
#define _GNU_SOURCE
#include <node_api.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define PROBED __attribute__((noinline, noclone, used, visibility("default")))

// Eight calls of descend, each in the one before, and then it returns as often.
PROBED int descend(int n)
{
	int below = n > 1 ? descend(n - 1) : 0;
	__asm__ volatile("" ::: "memory"); // no tail call
	return below + 1;
}

// The same beyond what the kernel keeps: a hundred.
PROBED int dive(int n)
{
	int below = n > 1 ? dive(n - 1) : 0;
	__asm__ volatile("" ::: "memory");
	return below + 1;
}

// A tail call: last_of returns to the caller of first_of, whose place on the stack it has.
PROBED int last_of(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

__attribute__((optimize("optimize-sibling-calls"))) PROBED int first_of(int n) { return last_of(n); }

// leap does not return: it jumps back to its caller.
static jmp_buf back;

PROBED int leap(int n)
{
	__asm__ volatile("" ::: "memory");
	if (n)
		longjmp(back, n);
	return 0;
}

// A USDT probe, as sys/sdt.h of SystemTap makes one without arguments.
#define MARK(name, semaphore) __asm__ volatile( \
	"990: nop\n" \
	".pushsection .note.stapsdt,\"?\",\"note\"\n" \
	".balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n" \
	"992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
	".asciz \"hotspan_test\"\n" \
	".asciz \"" name "\"\n" \
	".asciz \"\"\n" \
	"994: .balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n" \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n" \
	".hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n" \
	".size _.stapsdt.base, 1\n" \
	".popsection\n" \
	".endif\n")

__attribute__((section(".probes"), used, visibility("hidden"))) volatile unsigned short listeners = 0;

PROBED void mark_here(void) { MARK("mark", "0"); }

PROBED void mark_there(void) { MARK("mark", "0"); }

PROBED void mark_for_listeners(void)
{
	if (listeners)
		MARK("listened", "listeners");
}

static napi_value call_marks(napi_env env, napi_callback_info info)
{
	mark_here();
	mark_there();
	mark_for_listeners();
	return 0;
}

// What it returns is no number of anything.
PROBED long negative(void)
{
	__asm__ volatile("" ::: "memory");
	return -1;
}

static napi_value call_negative(napi_env env, napi_callback_info info)
{
	negative();
	return 0;
}

static void *volatile taken;

// Six calls of the allocator.
PROBED void take(void)
{
	for (int i = 0; i < 3; i++) {
		taken = malloc(1000 * (i + 1));
		free(taken);
	}
	taken = calloc(4, 1000);
	taken = realloc(taken, 9000);
	taken = realloc(taken, 12000);
	free(taken);
}

static napi_value call_take(napi_env env, napi_callback_info info)
{
	take();
	return 0;
}

// Ten calls of pay, always in the same order: nine of 10, and one of 1000.
PROBED void pay(long amount) { __asm__ volatile("" ::"r"(amount) : "memory"); }

PROBED void pay_little(void)
{
	for (int i = 0; i < 9; i++)
		pay(10);
	__asm__ volatile("" ::: "memory"); // no tail call
}

PROBED void pay_much(void)
{
	pay(1000);
	__asm__ volatile("" ::: "memory");
}

static napi_value call_pay(napi_env env, napi_callback_info info)
{
	pay_little();
	pay_much();
	return 0;
}

// A function whose frame is made at known instructions: at 0, 1, 4, 5 and 9 bytes from its start.
__asm__(".text\n"
	".globl framed\n"
	".type framed, @function\n"
	"framed: .cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"push %rbx\n"
	".cfi_offset %rbx, -24\n"
	"sub $24, %rsp\n"
	"add $24, %rsp\n"
	"pop %rbx\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size framed, .-framed\n");
void framed(void);

static napi_value call_framed(napi_env env, napi_callback_info info)
{
	framed();
	return 0;
}

PROBED void handled(void) { __asm__ volatile("" ::: "memory"); }

static void handle_signal(int number)
{
	handled();
	__asm__ volatile("" ::: "memory"); // no tail call
}

static napi_value call_signal(napi_env env, napi_callback_info info)
{
	raise(SIGUSR2);
	return 0;
}

static napi_value call_descend(napi_env env, napi_callback_info info)
{
	descend(8);
	return 0;
}

static napi_value call_dive(napi_env env, napi_callback_info info)
{
	dive(100);
	return 0;
}

static napi_value call_first(napi_env env, napi_callback_info info)
{
	first_of(1);
	return 0;
}

// Once without a return, then with one.
static napi_value call_leap(napi_env env, napi_callback_info info)
{
	if (!setjmp(back))
		leap(1);
	leap(0);
	return 0;
}

static void export(napi_env env, napi_value exports, const char *name, napi_callback call)
{
	napi_value function;
	napi_create_function(env, name, NAPI_AUTO_LENGTH, call, 0, &function);
	napi_set_named_property(env, exports, name, function);
}

NAPI_MODULE_INIT()
{
	signal(SIGUSR2, handle_signal);
	export(env, exports, "descend", call_descend);
	export(env, exports, "dive", call_dive);
	export(env, exports, "tail", call_first);
	export(env, exports, "leap", call_leap);
	export(env, exports, "mark", call_marks);
	export(env, exports, "negative", call_negative);
	export(env, exports, "take", call_take);
	export(env, exports, "pay", call_pay);
	export(env, exports, "framed", call_framed);
	export(env, exports, "signal", call_signal);
	return exports;
}
