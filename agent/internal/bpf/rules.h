// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The label rules: which properties and map entries of a store become labels. A tree of them is walked breadth first.

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, struct shape_key);
	__type(value, struct shape);
} shapes SEC(".maps");

struct reader {
	struct process *process;
	struct scratch *scratch;
	__u32 pid, tid;
	__u64 table, entries; // of the Map that is read
	__u32 n_entries;
	__u64 resource;          // that is looked at, tagged
	__u64 public, holder;    // what stands for it, and what has its stores
	struct resource *fields; // what its hidden class has
	__u8 start, inside;      // words before its first property, and how many of these are in itself
	__u32 present;           // a store was met
};

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
		append_string(&r->process->v8, s, &f);
	else if (read_user(&bits, 8, f.value - 1 + r->process->v8.heap_number_value))
		unreadable(s);
	else
		append_number(s, CONTEXT_DOUBLE, f.label, bits);
	return 0;
}
