// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Which request runs: the stores of V8's AsyncContextFrame, read by rules that the agent has learnt of the process.

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, struct shape_key);
	__type(value, struct shape);
} shapes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct store_key);
	__type(value, struct store);
} stores SEC(".maps");

struct reader {
	struct process *process;
	struct scratch *scratch;
	__u32 pid;
	__u64 table, entries; // of the Map that is read
	__u32 n_entries;
};

// A label value that is being put together.
struct text {
	const struct v8_layout *v8;
	struct scratch *scratch;
	__u32 start, size; // bytes of the buffer
	__u32 width;       // bytes of a character; 0 = none yet
	__u32 n_pieces;    // still to be copied, the next on top
	__u32 bad;
};

// Begins a context record of `length` bytes and returns where they go.
static __always_inline void *append(struct scratch *s, __u32 type, __u32 label, __u32 length)
{
	__u32 end = s->end;
	if (end >= BUFFER_SIZE - MAX_STRING - 64 || length > MAX_STRING)
		return 0;
	struct context_record *r = (void *)&s->buffer[end & (BUFFER_SIZE - 1)];
	r->type = type;
	r->label = label;
	r->length = length;
	s->end = end + sizeof(*r) + length;
	return r + 1;
}

// Asks the agent to learn something.
static __always_inline void append_lesson(struct scratch *s, __u32 type, __u32 label, __u64 a, __u64 b)
{
	__u64 pair[2] = {a, b};
	s->urgent = 1;
	void *to = append(s, type, label, sizeof(pair));
	if (to)
		__builtin_memcpy(to, pair, sizeof(pair));
}

static __always_inline void unreadable(struct scratch *s)
{
	append(s, CONTEXT_UNREADABLE, NO_LABEL, 0);
}

static __always_inline void push_visit(struct scratch *s, __u64 object, __u32 node)
{
	__u32 n = s->n_visits;
	if (n >= MAX_VISITS) {
		unreadable(s);
		return;
	}
	s->visits[n].object = object;
	s->visits[n].node = node;
	s->n_visits = n + 1;
}

static __always_inline int is_needless(const struct scratch *s, const struct edge *e)
{
	return e->unless != NO_LABEL && s->has & 1ULL << (e->unless & (MAX_LABELS - 1));
}

static __always_inline __u32 string_length(const struct v8_layout *v8, const __u64 *head)
{
	return word_at(head, v8->string_length) >> (v8->string_length & 4) * 8;
}

// Keeps a value for a label. Objects, such as undefined, are none.
static __always_inline void keep(struct reader *r, __u32 label, __u64 value)
{
	struct scratch *s = r->scratch;
	__u32 n = s->n_found;
	if (n >= MAX_FOUND) {
		unreadable(s);
		return;
	}
	const struct v8_layout *v8 = &r->process->v8;
	__s32 type = 0;
	s->another[1] = 0;
	if (!IS_SMI(value)) {
		if (read_object(&value, s->another, 16)) {
			unreadable(s);
			return;
		}
		type = instance_type(v8, s->another[0]);
		if (type < 0)
			unreadable(s);
		if (type < 0 || (type >= v8->first_non_string && type != v8->type_heap_number))
			return;
	}
	s->found[n].value = value;
	s->found[n].label = label;
	s->found[n].type = type;
	s->found[n].length = string_length(v8, s->another);
	s->n_found = n + 1;
	s->has |= 1ULL << (label & (MAX_LABELS - 1));
}

static __always_inline void follow(struct reader *r, const struct edge *e, __u64 value)
{
	if (e->to != NO_NODE && HEAP_OBJECT(value))
		push_visit(r->scratch, value, e->to);
	if (e->label != NO_LABEL)
		keep(r, e->label, value);
}

// The word of a property. Objects keep the first properties in themselves, the others in a property array.
static __always_inline long read_slot(struct reader *r, __u64 object, __u32 slot, __u64 *value)
{
	__u64 out;
	if (!(slot & SLOT_OUT))
		return read_user(value, 8, object - 1 + slot * 8);
	if (read_user(&out, 8, object - 1 + r->process->v8.receiver_hash))
		return -1;
	if (read_object(&out, r->scratch->another, 16))
		return -1;
	return read_user(value, 8, out - 1 + r->process->v8.property_array_data + (slot & 0x7fff) * 8);
}

// The shape of an object whose head is in scratch->object, if it is known and the hidden class still is that class.
static __always_inline struct shape *find_shape(struct reader *r, __u64 object, __u32 node)
{
	const struct v8_layout *v8 = &r->process->v8;
	struct scratch *s = r->scratch;
	struct shape_key key = {.pid = r->pid, .map = s->object[0]};
	struct shape *shape = bpf_map_lookup_elem(&shapes, &key);
	if (shape && !read_user(s->another, MAP_HEAD, key.map - 1)) {
		__u32 bits = word_at(s->another, v8->map_bit_field3) >> (v8->map_bit_field3 & 4) * 8;
		if (word_at(s->another, v8->map_descriptors) == shape->descriptors &&
		    (bits & v8->descriptors_mask) == shape->own)
			return shape;
	}
	append_lesson(s, CONTEXT_LEARN_SHAPE, node, object, key.map);
	return 0;
}

static __always_inline void visit_properties(struct reader *r, __u64 object, const struct node *node, __u32 id)
{
	struct shape *shape = find_shape(r, object, id);
	if (!shape)
		return;
	for (__u32 i = 0; i < NODE_EDGES && i < node->n_edges; i++) {
		const struct edge *e = &r->process->edges[(node->first + i) & (MAX_EDGES - 1)];
		__u32 slot = shape->slots[e->slot & (MAX_SLOTS - 1)];
		__u64 value;
		if (!slot || is_needless(r->scratch, e))
			continue;
		if (read_slot(r, object, slot, &value))
			unreadable(r->scratch);
		else
			follow(r, e, value);
	}
}

// A table entry: src/objects/ordered-hash-table.h.
struct map_entry {
	__u64 key, value, next;
};

// Opens the OrderedHashMap of a JSMap: number of elements used, deleted ones included, and where entries begin.
static __always_inline long open_table(struct reader *r, __u64 map_object, __u32 *buckets)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 table, *head = &r->scratch->another[v8->table_data >> 3 & 7];
	if (read_user(&table, 8, map_object - 1 + v8->jsmap_table) || read_object(&table, r->scratch->another, TABLE_HEAD))
		return -1;
	if (!IS_SMI(head[0]) || !IS_SMI(head[1]) || !IS_SMI(head[2]))
		return -1;
	__u32 n = SMI(head[2]);
	if (!n || n & (n - 1) || n > 1 << 24)
		return -1;
	*buckets = n;
	r->table = table - 1 + v8->table_data + 3 * sizeof(*head);
	r->entries = r->table + n * 8ULL;
	r->n_entries = SMI(head[0]) + SMI(head[1]);
	return 0;
}

static __always_inline void visit_map(struct reader *r, __u64 object, const struct node *node)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u32 buckets;
	if (instance_type(v8, r->scratch->object[0]) != v8->type_map)
		return;
	if (open_table(r, object, &buckets)) {
		unreadable(r->scratch);
		return;
	}
	for (__u32 i = 0; i < NODE_EDGES && i < node->n_edges; i++) {
		__u32 index = (node->first + i) & (MAX_EDGES - 1);
		const struct edge *e = &r->process->edges[index];
		__u64 next;
		if (!e->hash) {
			append_lesson(r->scratch, CONTEXT_LEARN_SYMBOL, index, object, 0);
			continue;
		}
		if (read_user(&next, 8, r->table + (e->hash & (buckets - 1)) * 8ULL))
			continue;
		for (int chain = 0; chain < 8 && IS_SMI(next) && SMI(next) >= 0; chain++) {
			struct map_entry entry;
			if (read_user(&entry, sizeof(entry), r->entries + (__u32)SMI(next) * 24ULL))
				break;
			next = entry.next;
			if (read_object(&entry.key, r->scratch->another, 16))
				continue;
			__u32 hash = word_at(r->scratch->another, v8->symbol_hash) >> (v8->symbol_hash & 4) * 8;
			if (hash >> v8->hash_shift != e->hash)
				continue;
			follow(r, e, entry.value);
			break;
		}
	}
}

static long visit_next(__u32 i, void *context)
{
	struct reader *r = context;
	struct scratch *s = r->scratch;
	if (i >= s->n_visits)
		return 1;
	__u64 object = s->visits[i & (MAX_VISITS - 1)].object;
	__u32 id = s->visits[i & (MAX_VISITS - 1)].node & (MAX_NODES - 1);
	const struct node *node = &r->process->nodes[id];
	if (read_object(&object, s->object, 24))
		unreadable(s);
	else if (node->kind == EDGE_PROPERTY)
		visit_properties(r, object, node, id);
	else if (node->kind == EDGE_MAP_ENTRY)
		visit_map(r, object, node);
	return 0;
}

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

// Copies the characters of a flat string. All pieces of one value have the same width.
static __always_inline long copy_flat(struct text *t, __u64 chars, __u32 width, __u32 length)
{
	struct scratch *s = t->scratch;
	if (!length)
		return 0;
	if (t->width && t->width != width)
		return -1;
	t->width = width;
	__u64 size = (__u64)length * width;
	__u32 room = MAX_STRING - t->size;
	if (size > room)
		size = room;
	size &= 2 * MAX_STRING - 1;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	if (read_user(&s->buffer[(t->start + t->size) & (BUFFER_SIZE - 1)], size, chars))
		return -1;
	t->size += size;
	return 0;
}

static __always_inline void push_piece(struct text *t, __u64 string, __u32 skip, __u32 length)
{
	struct piece *p = &t->scratch->pieces[t->n_pieces++ & (MAX_PIECES - 1)];
	p->string = string;
	p->skip = skip;
	p->length = length;
}

// Takes the topmost piece: copies it, or puts what it stands for in its place. (src/objects/string.h)
static __always_inline long take_piece(struct text *t)
{
	const struct v8_layout *v8 = t->v8;
	struct scratch *s = t->scratch;
	struct piece p = s->pieces[--t->n_pieces & (MAX_PIECES - 1)];
	if (read_object(&p.string, s->object, 16))
		return -1;
	__s32 type = instance_type(v8, s->object[0]);
	if (type < 0 || type >= v8->first_non_string)
		return -1;
	__u32 length = string_length(v8, s->object);
	if (length < p.skip)
		return -1;
	length -= p.skip;
	if (length > p.length)
		length = p.length;
	__u32 tag = type & v8->string_mask;
	if (tag == v8->tag_seq) {
		__u32 width = type & v8->one_byte_bit ? 1 : 2;
		return copy_flat(t, p.string - 1 + v8->string_chars + (__u64)p.skip * width, width, length);
	}
	__u64 first, second;
	if (tag == v8->tag_thin) {
		if (read_user(&first, 8, p.string - 1 + v8->thin_actual))
			return -1;
		push_piece(t, first, p.skip, length);
	} else if (tag == v8->tag_sliced) {
		if (read_user(&first, 8, p.string - 1 + v8->sliced_parent) ||
		    read_user(&second, 8, p.string - 1 + v8->sliced_offset))
			return -1;
		push_piece(t, first, p.skip + SMI(second), length);
	} else if (tag == v8->tag_cons && !p.skip && t->n_pieces < MAX_PIECES - 2) {
		if (read_user(&first, 8, p.string - 1 + v8->cons_first) ||
		    read_user(&second, 8, p.string - 1 + v8->cons_second))
			return -1;
		push_piece(t, second, 0, MAX_STRING);
		push_piece(t, first, 0, MAX_STRING);
	} else {
		return -1;
	}
	return 0;
}

static long take_next(__u32 i, void *context)
{
	struct text *t = context;
	if (t->n_pieces && take_piece(t))
		t->bad = 1;
	return t->bad || !t->n_pieces;
}

static __always_inline void append_string(struct reader *r, const struct found *f)
{
	struct scratch *s = r->scratch;
	const struct v8_layout *v8 = &r->process->v8;
	struct text t = {.v8 = v8, .scratch = s};
	__u32 at = s->end;
	if (!append(s, CONTEXT_UNREADABLE, f->label, 0))
		return;
	t.start = s->end;
	if ((f->type & v8->string_mask) == v8->tag_seq) {
		__u32 width = f->type & v8->one_byte_bit ? 1 : 2;
		t.bad = copy_flat(&t, f->value - 1 + v8->string_chars, width, f->length) != 0;
	} else {
		push_piece(&t, f->value, 0, MAX_STRING);
		bpf_loop(MAX_TAKES, take_next, &t, 0);
	}
	if (t.bad || t.n_pieces || t.size > MAX_STRING)
		return;
	struct context_record *record = (void *)&s->buffer[at & (BUFFER_SIZE - 1)];
	record->type = t.width == 2 ? CONTEXT_TWO_BYTE : CONTEXT_ONE_BYTE;
	record->length = t.size;
	s->end = t.start + t.size;
}

static __always_inline void append_number(struct scratch *s, __u32 type, __u32 label, __u64 bits)
{
	void *to = append(s, type, label, sizeof(bits));
	if (to)
		__builtin_memcpy(to, &bits, sizeof(bits));
}

static long append_next(__u32 i, void *context)
{
	struct reader *r = context;
	struct scratch *s = r->scratch;
	if (i >= s->n_found)
		return 1;
	struct found f = s->found[i & (MAX_FOUND - 1)];
	__u64 bits;
	if (IS_SMI(f.value))
		append_number(s, CONTEXT_SMI, f.label, (__s64)SMI(f.value));
	else if (f.type < r->process->v8.first_non_string)
		append_string(r, &f);
	else if (read_user(&bits, 8, f.value - 1 + r->process->v8.heap_number_value))
		unreadable(s);
	else
		append_number(s, CONTEXT_DOUBLE, f.label, bits);
	return 0;
}

static __always_inline void read_context(struct process *p, struct scratch *s, __u32 pid, __u64 isolate)
{
	struct reader r = {.process = p, .scratch = s, .pid = pid};
	__u64 frame;
	__u32 buckets;
	s->n_visits = s->n_found = 0;
	s->has = 0;
	if (!p->v8.cped || !p->nodes[0].kind)
		return;
	if (read_user(&frame, 8, isolate + p->v8.cped) || read_object(&frame, s->object, 24)) {
		unreadable(s);
		return;
	}
	__s32 type = instance_type(&p->v8, s->object[0]);
	if (type >= 0 && type != p->v8.type_map)
		return; // undefined: no request
	if (type < 0 || open_table(&r, frame, &buckets)) {
		unreadable(s);
		return;
	}
	append(s, CONTEXT_PRESENT, NO_LABEL, 0);
	bpf_loop(MAX_STORES, enter_next, &r, 0);
	bpf_loop(MAX_VISITS, visit_next, &r, 0);
	bpf_loop(MAX_FOUND, append_next, &r, 0);
}
