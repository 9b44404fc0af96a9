// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Which request runs: the stores of V8's AsyncContextFrame, or of the resource on Node's async_hooks stack, read by rules
// that the agent has learnt of the process.

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct store_key);
	__type(value, struct store);
} stores SEC(".maps");

// The identity hash of a JSReceiver: in its word for properties, or above the length of its property array.
// (src/objects/js-objects.cc, GetIdentityHashHelper)
static __always_inline __u32 identity_hash(struct reader *r, __u64 object)
{
	const struct v8_layout *v8 = &r->process->v8;
	if (read_object(&object, r->scratch->object, 24))
		return 0;
	__u64 word = word_at(r->scratch->object, v8->receiver_hash);
	if (IS_SMI(word))
		return SMI(word);
	if (read_object(&word, r->scratch->another, 16) ||
	    instance_type(v8, r->scratch->another[0]) != v8->type_property_array)
		return 0;
	return (__u32)SMI(r->scratch->another[1]) >> 10;
}

// Follows the rules for any store, and those for the store of this AsyncLocalStorage.
static __always_inline void enter_store(struct reader *r, __u64 key, __u64 value)
{
	struct edge entry = {.to = 0, .label = NO_LABEL, .unless = NO_LABEL};
	follow(r, &entry, value);
	if (!r->process->named_stores)
		return;
	struct store_key id = {.pid = r->pid, .hash = identity_hash(r, key)};
	struct store *store = bpf_map_lookup_elem(&stores, &id);
	if (!store) {
		append_lesson(r->scratch, CONTEXT_LEARN_STORE, NO_LABEL, key, id.hash);
		return;
	}
	entry.to = store->node;
	entry.label = store->label;
	follow(r, &entry, value);
}

static long enter_next(__u32 i, void *context)
{
	struct reader *r = context;
	struct map_entry entry;
	if (i >= r->n_entries)
		return 1;
	if (read_user(&entry, sizeof(entry), r->entries + i * 24ULL)) {
		unreadable(r->scratch);
		return 1;
	}
	enter_store(r, entry.key, entry.value);
	return 0;
}

// The stores of V8's AsyncContextFrame. Returns whether there is one.
static __always_inline int enter_frame(struct reader *r, __u64 isolate)
{
	struct scratch *s = r->scratch;
	const struct v8_layout *v8 = &r->process->v8;
	__u64 frame;
	__u32 buckets;
	if (!v8->cped)
		return 0;
	if (read_user(&frame, 8, isolate + v8->cped) || read_object(&frame, s->object, 24)) {
		unreadable(s);
		return 0;
	}
	__s32 type = instance_type(v8, s->object[0]);
	if (type >= 0 && type != v8->type_map)
		return 0; // undefined: no request
	if (type < 0 || open_table(r, frame, &buckets)) {
		unreadable(s);
		return 0;
	}
	append(s, CONTEXT_PRESENT, NO_LABEL, 0);
	bpf_loop(MAX_STORES, enter_next, r, 0);
	return 1;
}

// context is one of the thread's JavaScript code, or 0.
__noinline int read_context(struct process *p, struct scratch *s, __u64 isolate, __u64 context)
{
	if (!p || !s)
		return 0;
	const struct sample *e = (struct sample *)s->buffer;
	struct reader r = {.process = p, .scratch = s, .pid = e->pid, .tid = e->tid};
	s->n_visits = s->n_found = 0;
	s->has = 0;
	if (!p->nodes[0].kind)
		return 0;
	// which of them a process uses is told by what is there: a resource has no stores where there are frames
	if (!enter_frame(&r, isolate) && !enter_resource(&r, isolate, context))
		return 0;
	bpf_loop(MAX_VISITS, visit_next, &r, 0);
	bpf_loop(MAX_FOUND, append_next, &r, 0);
	return 0;
}
