// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Scratch memory and reads of the target's memory.

#define BUFFER_SIZE 0x10000
#define MAX_PIECES 32 // of a string, at one time; a power of two
#define MAX_TAKES 128 // of a string, in all
#define MAX_FOUND 64 // values of labels; a power of two

struct visit {
	__u64 object; // tagged
	__u32 node;
	__u32 pad;
};

struct found {
	__u64 value; // tagged: a Smi, a string or a HeapNumber
	__u16 label, type; // number; instance type
	__u32 length;      // of a string
};

// A part of a string that is put together: `length` characters of `string` after the first `skip`.
struct piece {
	__u64 string; // tagged
	__u32 skip, length;
};

// What does not fit on the BPF stack: one for each CPU. The program runs with interrupts off, never twice on a CPU.
struct scratch {
	__u64 registers[16]; // of the leaf, by DWARF number
	__u64 object[16];  // head of the heap object that is looked at
	__u64 another[16]; // and of one that it points to
	__u64 script; // the Script that was looked at last, tagged, and its id
	__s32 script_id;
	__u32 n_visits, n_found;
	__u64 has; // labels that have a value, a bit each
	struct visit visits[MAX_VISITS];
	struct found found[MAX_FOUND];
	struct piece pieces[MAX_PIECES];
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

#define HEAP_OBJECT(word) (((word) & 3) == 1)
#define IS_SMI(word) (((word) & 0xffffffffULL) == 0)
#define SMI(word) ((__s32)((word) >> 32))

static __always_inline long read_user(void *to, __u32 size, __u64 from)
{
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

// Reads the first `size` bytes of a heap object. While a
// collection runs, the map word of an object that has moved is its new address without a tag (src/objects/objects.h,
// MapWord): then that one is read, and *object becomes it.
static __always_inline long read_object(__u64 *object, __u64 *to, __u32 size)
{
	if (!HEAP_OBJECT(*object) || read_user(to, size, *object - 1))
		return -1;
	if (to[0] & 1)
		return 0;
	*object = to[0] + 1;
	if (read_user(to, size, *object - 1) || !(to[0] & 1))
		return -1;
	return 0;
}

static __always_inline __s32 instance_type(const struct v8_layout *v8, __u64 map)
{
	__u16 type;
	if (!HEAP_OBJECT(map) || read_user(&type, sizeof(type), map - 1 + v8->map_type))
		return -1;
	return type;
}

// The word at byte offset `at` of an object's head in scratch memory.
static __always_inline __u64 word_at(const __u64 *head, __u32 at)
{
	return head[(at >> 3) & 15];
}
