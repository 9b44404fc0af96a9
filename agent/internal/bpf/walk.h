// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The walk over one thread's user stack: V8's frames by frame pointer, native frames by unwind rules. The specification is
// Go: v8/stack/walk*.go, and Step of package unwind for the rules. Tests compare the two on recorded memory.

// One unwind rule, as package unwind writes it.
struct row {
	__u32 pc; // from the mapping's base
	__u8 cfa;
	__s8 rbp;
	__s16 off;
};

enum {
	CFA_RBP = 6,
	CFA_RSP = 7,
	CFA_REGISTERS = 16, // kinds below are DWARF register numbers
	CFA_DEREF = 16,
	CFA_DEREF_RBP,
	CFA_PLT,
	CFA_SIGNAL,
	CFA_END,
	CFA_NONE,
	CFA_DEREF_R9,
	CFA_DEREF_FP,
	RBP_SAME = 0,
	RBP_NEXT = -2, // next to the return address
	RBP_AT_RBP = -127,
	RBP_LOST = -128,
};

// A table of unwind rules is an array of 8-byte elements. The first ones are an index: the lower half of element i is the
// number of rows of the file that begin before page i of its code, for each page and the end; the bits above say in
// which granules of the page the frame pointer's rule holds. The rows follow.
struct rows {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP); // files differ in size
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct row));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_TABLES);
	__type(key, __u32);
	__array(values, struct rows);
} tables SEC(".maps");

struct walk {
	struct process *process;
	struct scratch *scratch;
	__u64 pc, sp, bp;
	__u64 isolate;
	__u64 v8_sp; // stack pointer of the first frame in V8's code
	__u64 context; // of the outermost JavaScript frame; 0 = there is none
	struct walked *so_far; // of scratch
};

static __always_inline struct mapping *find_mapping(struct process *p, __u64 pc)
{
	__u32 low = 0, high = p->n_mappings;
	for (int i = 0; i < 8 && low < high; i++) {
		__u32 middle = (low + high) / 2 & (MAX_MAPPINGS - 1);
		if (p->mappings[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	struct mapping *m = &p->mappings[low & (MAX_MAPPINGS - 1)];
	if (low >= p->n_mappings || pc < m->start || pc >= m->end)
		return 0;
	return m;
}

struct index {
	__u32 rows;
	__u32 frame_pointer; // a bit for each granule
};

// Finds the rule at an address: that of the last row that begins at or before it, which is in its page or is the last
// one before the page. Most code keeps a frame pointer: then the index says all.
static __always_inline long find_rule(const struct mapping *m, __u64 address, struct row *rule)
{
	__u32 table = m->table, page, low, high;
	__u32 pc = address - m->base;
	void *rows = bpf_map_lookup_elem(&tables, &table);
	if (!rows || address < m->base || (address - m->base) >> PAGE_BITS >= m->pages)
		return -1;
	page = pc >> PAGE_BITS;
	struct index *first = bpf_map_lookup_elem(rows, &page);
	page++;
	struct index *end = bpf_map_lookup_elem(rows, &page);
	if (!first || !end || !end->rows)
		return -1;
	if (first->frame_pointer >> (pc >> GRANULE_BITS & ((1 << (PAGE_BITS - GRANULE_BITS)) - 1)) & 1) {
		*rule = (struct row){.cfa = CFA_RBP, .off = 2, .rbp = RBP_NEXT};
		return 0;
	}
	low = m->pages + 1 + (first->rows ? first->rows - 1 : 0);
	high = m->pages + 1 + end->rows;
	long found = -1;
	for (int i = 0; i < PAGE_BITS + 2 && low < high; i++) {
		__u32 middle = low + (high - low) / 2;
		struct row *row = bpf_map_lookup_elem(rows, &middle);
		if (!row)
			return -1;
		if (row->pc <= pc) {
			*rule = *row;
			found = 0;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found;
}

// Until V8 11 a function that a debugger has looked at has a DebugInfo where its Script was, and that has the Script.
static __always_inline void skip_debug_info(const struct v8_layout *v8, __u64 *head, __u64 *script)
{
	if (v8->debug_info_script && !read_object(script, head, DEBUG_INFO_HEAD) &&
	    instance_type(v8, head[0]) == v8->type_debug_info)
		*script = word_at(head, v8->debug_info_script);
}

// Script.id; -1 if the object is no Script.
static __always_inline __s32 script_id(struct walk *w, __u64 script)
{
	const struct v8_layout *v8 = &w->process->v8;
	__u64 *head = w->scratch->object;
	skip_debug_info(v8, head, &script);
	if (read_object(&script, head, SCRIPT_HEAD))
		return -1;
	if (instance_type(v8, head[0]) != v8->type_script)
		return -1;
	__u64 id = word_at(head, v8->script_id);
	return IS_SMI(id) ? SMI(id) : -1;
}

// Adds a frame to the record. Those after the first KEPT_LEAF are a ring of KEPT_ROOT, which the agent puts into order.
static __always_inline struct frame *push_frame(struct walk *w, __u32 kind)
{
	struct scratch *s = w->scratch;
	__u32 n = w->so_far->n_frames++;
	if (n < MAX_FRAMES)
		s->end += sizeof(struct frame);
	else
		n = KEPT_LEAF + (n - KEPT_LEAF) % KEPT_ROOT;
	struct frame *f = (struct frame *)&s->buffer[(w->so_far->frames + n * sizeof(struct frame)) & (BUFFER_SIZE - 1)];
	__builtin_memset(f, 0, sizeof(*f));
	f->pc = w->pc;
	f->script = -1;
	f->offset = -1;
	f->kind = kind;
	f->exact = w->so_far->exact_pc;
	return f;
}

// Takes the identity of a function that the collector cannot change: JSFunction → SharedFunctionInfo → Script.id and
// function literal id. A function without a script (a builtin) has script -1.
static __always_inline void identify(struct walk *w, __u64 function, struct frame *f)
{
	const struct v8_layout *v8 = &w->process->v8;
	__u64 *head = w->scratch->object;
	if (read_object(&function, head, FUNCTION_HEAD))
		return;
	__u64 sfi = word_at(head, v8->function_shared);
	if (read_object(&sfi, head, SFI_HEAD))
		return;
	f->sfi = sfi;
	f->literal = half_at(head, v8->sfi_literal);
	__u64 script = word_at(head, v8->sfi_script);
	struct scratch *s = w->scratch;
	if (script != s->script)
		s->script_id = script_id(w, script);
	s->script = script;
	f->script = s->script_id;
}

#define BAD_PC(pc) (!(pc) || (pc) >> 47)

// Moves to the caller, or to what a signal has interrupted: then pc is exact, and the stack may be another one, above or
// below.
static __always_inline void ascend(struct walk *w, __u64 pc, __u64 sp, __u64 bp, __u8 exact)
{
	if (sp <= w->sp && !exact) {
		w->so_far->stop = STOP_NO_PROGRESS;
		return;
	}
	if (BAD_PC(pc) && !w->so_far->typed) {
		w->so_far->stop = STOP_BAD_PC;
		return;
	}
	w->pc = pc;
	w->sp = sp;
	w->bp = bp;
	if (exact || w->so_far->n_frames > 1)
		w->so_far->leaf = 0; // what a rule behind a call asks for, the callee keeps: OpenSSL's aesni_gcm_encrypt
	w->so_far->exact_pc = exact;
}

static __always_inline void find_dropped(struct walk *w);

static __always_inline void walk_v8(struct walk *w)
{
	struct v8_frame *v = &w->scratch->slots;
	if (!w->v8_sp)
		w->v8_sp = w->sp;
	v->end = 0;
	if (w->bp <= w->sp)
		find_dropped(w);
	struct frame *f = push_frame(w, FRAME_JS);
	if (!v->end) {
		v->end = w->bp + 16;
		if (w->bp & 7 || v->end <= w->sp || read_user(v, V8_FRAME_SIZE, w->bp - 40)) {
			w->so_far->stop = STOP_UNREADABLE;
			return;
		}
	}
	if (!HEAP_OBJECT(v->context) || !HEAP_OBJECT(v->function)) {
		f->kind = FRAME_TYPED;
		f->sfi = v->context;
		f->bytecode = v->function;
		__u64 argument = v->arguments[w->process->v8.regexp_argument & 3];
		f->script = argument;
		f->literal = argument >> 32;
		w->so_far->typed = 1;
		w->so_far->builtin = w->pc;
	} else {
		w->context = v->context;
		f->bytecode = v->bytecode;
		if (IS_SMI(v->offset))
			f->offset = SMI(v->offset);
		identify(w, v->function, f);
	}
	ascend(w, v->pc, v->end, v->bp, 0);
}

// WebAssembly's code is in mappings of its own, which come with each module and may not be known yet. Its frames tell.
static __always_inline int in_wasm(struct walk *w)
{
	__u64 word, marker = w->process->v8.wasm_marker << 1;
	return marker && !(w->bp & 7) && w->bp >= w->sp && !read_user(&word, 8, w->bp - 8) && word == marker;
}

// Code without a rule, such as assembly, mostly keeps a frame pointer all the same. It is believed if the return
// address that it leads to is in code.
static __always_inline void walk_frame_pointer(struct walk *w)
{
	__u64 v[2];
	if (w->bp & 7 || w->bp < w->sp || read_user(v, sizeof(v), w->bp) || !find_mapping(w->process, v[1]))
		w->so_far->stop = STOP_NO_RULE;
	else
		ascend(w, v[1], w->bp + 16, v[0], 0);
}

// The kernel's rt_sigframe above the return address of a signal handler: ucontext.uc_mcontext.
static __always_inline void walk_signal(struct walk *w)
{
	__u64 rbp, rsp, rip;
	if (read_user(&rbp, 8, w->sp + 120) || read_user(&rsp, 8, w->sp + 160) || read_user(&rip, 8, w->sp + 168)) {
		w->so_far->stop = STOP_UNREADABLE;
		return;
	}
	ascend(w, rip, rsp, rbp, 1);
}

// 0 = *cfa holds; NO_RULE = there is none; else memory could not be read.
#define NO_RULE 1

static __always_inline long canonical_frame_address(struct walk *w, const struct row *row, __u64 *cfa)
{
	__s64 off = (__s64)row->off * 8;
	switch (row->cfa) {
	case CFA_RSP: *cfa = w->sp + off; return 0;
	case CFA_RBP: *cfa = w->bp + off; return 0;
	case CFA_PLT: *cfa = w->sp + 8 + ((__s64)(w->pc & 15) >= row->off ? 8 : 0); return 0;
	case CFA_DEREF:
	case CFA_DEREF_FP:
		if (read_user(cfa, 8, (row->cfa == CFA_DEREF ? w->sp : w->bp) + off))
			return -1;
		*cfa += 8;
		return 0;
	case CFA_DEREF_R9:
		if (!w->so_far->leaf || read_user(cfa, 8, w->sp + w->scratch->registers[9] * 8 + off))
			return -1;
		*cfa += 8;
		return 0;
	case CFA_DEREF_RBP: return read_user(cfa, 8, w->bp + off);
	}
	if (row->cfa >= CFA_REGISTERS || !w->so_far->leaf)
		return NO_RULE;
	*cfa = w->scratch->registers[row->cfa & 15] + off;
	return 0;
}

static __always_inline long caller_bp(struct walk *w, const struct row *row, __u64 cfa, __u64 *bp)
{
	switch (row->rbp) {
	case RBP_SAME: *bp = w->bp; return 0;
	case RBP_LOST: *bp = 0; return 0;
	case RBP_AT_RBP: return read_user(bp, 8, w->bp);
	}
	return read_user(bp, 8, cfa + row->rbp * 8LL);
}

// The return address and the caller's frame pointer: next to each other in most frames.
static __always_inline void walk_cfa(struct walk *w, const struct row *row, __u64 cfa)
{
	__u64 v[2];
	long bad;
	if (row->rbp == RBP_NEXT)
		bad = read_user(v, sizeof(v), cfa - 16);
	else
		bad = read_user(&v[1], 8, cfa - 8) || caller_bp(w, row, cfa, &v[0]);
	if (bad)
		w->so_far->stop = STOP_UNREADABLE;
	else
		ascend(w, v[1], cfa, v[0], 0);
}

static __always_inline void walk_row(struct walk *w, const struct row *row)
{
	__u64 cfa;
	if (row->cfa == CFA_END) {
		w->so_far->stop = STOP_ROOT;
		return;
	}
	if (row->cfa == CFA_SIGNAL) {
		walk_signal(w);
		return;
	}
	long bad = canonical_frame_address(w, row, &cfa);
	if (!bad)
		walk_cfa(w, row, cfa);
	else if (bad == NO_RULE)
		walk_frame_pointer(w);
	else
		w->so_far->stop = STOP_UNREADABLE;
}

// Native frames that cannot be walked hide the rest of the stack, but V8 keeps the address of its youngest exit frame:
// from there on the stack is sound. (src/execution/thread-local-top.h, c_entry_fp_)
static __always_inline void resume(struct walk *w)
{
	__u64 fp, v[2], at = w->process->v8.c_entry_fp;
	if (w->so_far->resumed || !at || !w->isolate || read_user(&fp, 8, w->isolate + at))
		return;
	if (fp <= w->sp || fp & 7 || read_user(v, sizeof(v), fp))
		return;
	w->so_far->resumed = 1;
	w->so_far->stop = 0;
	w->so_far->typed = 0;
	push_frame(w, FRAME_GAP);
	ascend(w, v[1], fp + 16, v[0], 0);
}

// Keeps the frames of a thread that runs no JavaScript, up to the function of its work, for find_kept (pool.h).
static __always_inline void keep_call(struct walk *w, __u64 pc)
{
	const struct pool *pool = &w->process->pool;
	struct walked *so_far = w->so_far;
	if (w->isolate || !pool->call || so_far->in_pool)
		return;
	w->scratch->calls[so_far->n_calls++ & (MAX_CALLS - 1)] = (struct call){pc, w->sp};
	if (w->pc == pool->call)
		so_far->in_pool = so_far->n_calls;
}

// Builtins that go from an interpreted frame to its baseline code push the accumulator before they set up a frame in which C++
// looks up where to. Then that is where the return address should be. That of the OSR one is above it, and the accumulator
// of no use any more, any word; the others were not called, and work on the frame of the function that they go on with.
// (src/builtins/x64/builtins-x64.cc, Generate_BaselineOrInterpreterEntry)
static __always_inline int look_above(struct walk *w)
{
	__u64 above, slots[2];
	if (read_user(&above, 8, w->sp) || read_user(slots, sizeof(slots), w->bp - 16) || !HEAP_OBJECT(slots[0]) ||
	    !HEAP_OBJECT(slots[1]))
		return 0;
	w->so_far->looks = 1;
	w->so_far->value = w->pc;
	w->pc = above;
	return 1;
}

// Believes the word above if it is in V8's code, or goes on with the builtin where a value of V8's is below it.
static __always_inline int believe_above(struct walk *w, int v8)
{
	__u64 value = w->so_far->value;
	if (v8) {
		w->sp += 8;
		return 1;
	}
	w->pc = w->so_far->builtin;
	if (IS_SMI(value) || HEAP_OBJECT(value))
		return 1;
	w->pc = value;
	return 0;
}

static __always_inline void walk_other(struct walk *w, struct mapping *m, __u64 pc)
{
	struct row rule;
	if (BAD_PC(w->pc) && !w->so_far->exact_pc) {
		w->so_far->stop = STOP_BAD_PC;
		return;
	}
	push_frame(w, m ? FRAME_NATIVE : FRAME_UNKNOWN);
	if (m && !find_rule(m, pc, &rule))
		walk_row(w, &rule);
	else
		walk_frame_pointer(w);
	keep_call(w, pc);
}

static long walk_step(__u32 i, void *context)
{
	struct walk *w = context;
	__u64 pc = w->so_far->exact_pc ? w->pc : w->pc - 1;
	struct mapping *m = find_mapping(w->process, pc);
	int v8 = m ? m->kind == MAPPING_V8 : in_wasm(w);
	__u8 looks = w->so_far->looks, typed = w->so_far->typed;
	w->so_far->looks = w->so_far->typed = 0;
	if (looks) {
		v8 = believe_above(w, v8);
		m = 0;
	}
	if (v8)
		walk_v8(w);
	else if (!m && typed && look_above(w))
		return 0;
	else
		walk_other(w, m, pc);
	if (w->so_far->stop && w->so_far->stop != STOP_ROOT)
		resume(w);
	return w->so_far->stop != 0;
}

// Walks to the thread's first frame, or until the walk cannot go on.
static __always_inline void walk_stack(struct walk *w)
{
	*w->so_far = (struct walked){.frames = w->scratch->end, .leaf = 1, .exact_pc = 1};
	bpf_loop(MAX_STEPS, walk_step, w, 0);
	if (!w->so_far->stop)
		w->so_far->stop = STOP_DEPTH;
}
