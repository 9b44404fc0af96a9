// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Scratch memory and reads of the target's memory.

#define BUFFER_SIZE 0x10000
#define MAX_PIECES 128 // of a string, at one time; a power of two
#define MAX_TAKES 256 // of a string, in all
#define MAX_FOUND 64 // values of labels; a power of two

struct visit {
	__u64 object; // tagged
	__u32 node;
	__u32 pad;
};

struct found {
	__u64 value; // tagged: a Smi, a string, a HeapNumber or an array; of an Oddball its kind
	__u16 label, type; // number; instance type
	__u32 length;      // of a string
};

// A table of {key, value, word}: an OrderedHashMap or a NameDictionary.
struct table {
	__u64 buckets, entries; // addresses; a dictionary has no buckets
	__u32 n_buckets;        // or the dictionary's capacity: a power of two
	__u32 n_entries;        // all of them, empty and deleted ones too
};

// A table entry: src/objects/ordered-hash-table.h, src/objects/dictionary.h.
struct table_entry {
	__u64 key, value;
	__u64 word; // of a Map the next entry of the bucket, of a dictionary the property's details
};

// The search of a table for a name.
struct search {
	struct name name;
	struct table_entry entry;
	__u32 hash;  // sought; 0 = not known: all entries are looked at
	__u32 index; // of the entry that is next
	__u32 met;   // hash of the key that was looked at last
	__u8 found;  // `entry` is it
	__u8 ended;  // no further entry can be it
	__u8 doubt;  // of some key it cannot be told
	__u8 pad;
};

// A part of a string that is put together: `length` characters of `string` after the first `skip`.
struct piece {
	__u64 string; // tagged
	__u32 skip, length;
};

// How far a walk has come. On the BPF stack the verifier would look into all combinations of what these may be.
struct walked {
	__u32 n_frames; // that were found; the record keeps MAX_FRAMES of them
	__u32 frames;   // where in the buffer they begin
	__u8 stop;      // enum stop; 0 = it goes on
	__u8 leaf;      // the frame is the leaf or its caller: all registers that its rule asks for are known
	__u8 exact_pc;  // pc is an instruction to run next, not a return address
	__u8 resumed;   // the walk has jumped to V8's exit frame
	__u32 n_calls;  // that were kept
	__u32 in_pool;  // how many of them until libuv's worker() was reached; 0 = it was not
	__u8 typed;     // the last frame has a type marker
	__u8 looks;     // pc is the word above what its return address should be: `value`
	__u64 builtin;  // pc of that frame
	__u64 value;
};

// A frame of native code, and where its caller's begins.
struct call {
	__u64 pc; // in the instruction that it is at
	__u64 cfa;
};

// For which request another thread than that of its JavaScript works.
struct owner {
	__u64 isolate;  // 0 = for none, or for its own
	__u64 frame;    // the AsyncContextFrame, or undefined, tagged; 0 = none
	__u64 resource; // tagged; 0 = none
};

// Slots below V8's frame pointer (src/execution/frame-constants.h), then what every frame has above it, then arguments.
struct v8_frame {
	__u64 offset, bytecode, argc, function, context;
	__u64 bp, pc;
	__u64 arguments[4];
	__u64 end; // no slot: where the frame ends
};
#define V8_FRAME_SIZE __builtin_offsetof(struct v8_frame, end)

// What does not fit on the BPF stack: one for each CPU. The program runs with interrupts off, never twice on a CPU.
struct scratch {
	__u64 registers[16]; // of the leaf, by DWARF number
	__u64 object[16];  // head of the heap object that is looked at
	__u64 another[16]; // and of one that it points to
	__u64 key[MAX_NAME / 8]; // head or characters of a key
	struct v8_layout v8; // of the process
	struct table table;
	struct search search;
	__u64 elements; // of an array: address of the first, and how many
	__u32 n_elements;
	__u64 script; // the Script that was looked at last, tagged, and its id
	__s32 script_id;
	__u32 n_visits, n_found;
	__u32 steps; // left
	__u32 full;  // the buffer had no room for a record
	__u64 has; // labels that have a value, a bit each
	struct visit visits[MAX_VISITS];
	struct found found[MAX_FOUND];
	struct piece pieces[MAX_PIECES];
	__u64 stores[MAX_STORES]; // of the resource that is looked at, tagged
	__u64 part[32];           // a part of its dictionary, and before that of what leads to it
	__u32 n_stores;
	__u32 collecting; // the thread is in a collection, or reads objects of one that may begin one
	struct isolate_names no_names; // zeros
	struct walked walked;
	struct call calls[MAX_CALLS]; // the last ones
	struct owner owner;
	struct v8_frame slots; // of the frame that is looked at
	__u32 end; // bytes of buffer in use
	__u32 urgent; // the agent has to learn something for the next samples
	__u8 buffer[BUFFER_SIZE + 8192]; // the record; the slack lets the verifier see that appends stay inside
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); // the loader sets the number of CPUs
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

// Which one a program uses.
#ifndef SCRATCH
#define SCRATCH bpf_get_smp_processor_id()
#endif

#define VM_STATE_GC 1 // include/v8-unwinder.h, StateTag

// The functions that are not static are verified once, not for each call. They can be given numbers only, and find what
// they work on here.
static __always_inline struct scratch *own_scratch(void)
{
	__u32 number = SCRATCH;
	return bpf_map_lookup_elem(&scratches, &number);
}

#define HEAP_OBJECT(word) (((word) & 3) == 1)
#define IS_SMI(word) (((word) & 0xffffffffULL) == 0)
#define SMI(word) ((__s32)((word) >> 32))

// Tests want to know what a run reads (bpftest).
#ifndef ON_READ
#define ON_READ(from, size)
#endif

static __always_inline long read_user(void *to, __u32 size, __u64 from)
{
	ON_READ(from, size);
	return bpf_probe_read_user(to, size, (const void *)from);
}

// How much of an object is read at once: no more than the least size that it has in any V8 since 9.4, since what follows
// may not be mapped.
#define FUNCTION_HEAD 40
#define SFI_HEAD 64
#define SCRIPT_HEAD 72
#define DEBUG_INFO_HEAD 32
#define MAP_HEAD 48
#define TABLE_HEAD 40 // of an OrderedHashMap

// Reads the first `size` bytes of a heap object. While a collection runs, the map word of an object that has moved is its
// new address without a tag (src/objects/objects.h, MapWord): *object becomes that, and the map word read is the new one's.
// All else is read where the object was: V8 forwards an object first and copies it then (src/heap/scavenger.cc,
// TryMigrateObject), so that the new place may hold what was there before, and the old one is whole until the collection
// ends.
static __always_inline long read_object(__u64 *object, __u64 *to, __u32 size)
{
	if (!HEAP_OBJECT(*object) || read_user(to, size, *object - 1))
		return -1;
	if (to[0] & 1)
		return 0;
	*object = to[0] + 1;
	if (read_user(to, 8, *object - 1) || !(to[0] & 1))
		return -1;
	return 0;
}

// The same for an object of which more will be read: it stays where it was.
static __always_inline long read_whole(__u64 object, __u64 *to, __u32 size)
{
	return read_object(&object, to, size);
}

static __always_inline __s32 instance_type(const struct v8_layout *v8, __u64 map)
{
	__u16 type;
	if (!HEAP_OBJECT(map) || read_user(&type, sizeof(type), map - 1 + v8->map_type))
		return -1;
	return type;
}

#define COPY_LOOP 128 // bytes; V8 copies more than that by memcpy, which keeps the target in rax

// Whether the thread was stopped while it copied a string to this address, or was about to: until that is done there is what
// was there before, which may look like any string. The target is in a register meanwhile. A register may also refer to
// what is copied long since; then the string is missing, which is why functions are not looked at like this.
__noinline int being_copied(__u64 address)
{
	struct scratch *s = own_scratch();
	if (!s || !s->collecting)
		return 0;
	for (int i = 0; i < 16; i++)
		if (s->registers[i] - address <= COPY_LOOP)
			return 1;
	return 0;
}

// Reads the head of a string, 16 bytes, and returns its instance type; -1 if it cannot be told. A collection may forward a
// string that stands for another one to that one, which is of another type: then *string becomes it.
// (src/heap/scavenger.cc, EvacuateShortcutCandidate and EvacuateThinString)
// The map at the new place may be of what was there before. So a forwarded string is only believed to be flat if its copy
// is made, and not to be external, where there is nothing to tell a pointer by; take_piece looks at the parts of others.
static __always_inline __s32 read_string(const struct v8_layout *v8, __u64 *string, __u64 *to)
{
	__u64 moved, old, new[2], next;
	if (!HEAP_OBJECT(*string) || read_user(to, 16, *string - 1))
		return -1;
	moved = to[0];
	if (!(moved & 1) && (read_user(to, 8, moved) || !(to[0] & 1)))
		return -1;
	if (being_copied(moved & 1 ? *string - 1 : moved))
		return -1;
	__s32 type = instance_type(v8, to[0]);
	if (moved & 1 || type < 0 || type >= v8->first_non_string)
		return type;
	if ((type & v8->string_mask) == v8->tag_external)
		return -1;
	if ((type & v8->string_mask) != v8->tag_seq)
		return type;
	if (read_user(&old, 8, *string - 1 + v8->string_chars) || read_user(&new[0], 8, moved + 8) ||
	    read_user(&new[1], 8, moved + v8->string_chars))
		return -1;
	if (old == new[1] && to[1] == new[0])
		return type;
	// A part of another representation begins where characters do; or the copy is not made yet.
	if (!HEAP_OBJECT(old) || read_user(&next, 8, old - 1) || (old - 1 != moved && next != moved))
		return -1;
	if (read_whole(old, to, 16))
		return -1;
	*string = old;
	return instance_type(v8, to[0]);
}

// The word at byte offset `at` of an object's head in scratch memory.
static __always_inline __u64 word_at(const __u64 *head, __u32 at)
{
	return head[(at >> 3) & 15];
}

// The 32 bits at byte offset `at` of it, which is below 64.
static __always_inline __u32 half_at(const __u64 *head, __u32 at)
{
	return head[(at >> 3) & 7] >> (at & 4) * 8;
}
