// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Limits that the BPF program and hotspan share. The Go constants are generated from these enumerators.

#pragma once

// Limits of what one process, one sample and one table may have.
enum limit {
	KEPT_LEAF = 768, // user frames of one sample, from the leaf on
	KEPT_ROOT = 256, // and of a deeper stack up to the root
	MAX_FRAMES = KEPT_LEAF + KEPT_ROOT,
	MAX_STEPS = 16384,  // user frames that a walk goes through
	MAX_GAP = 1 << 20,  // bytes of the stack that native frames may take which cannot be walked
	MAX_KERNEL = 127,   // kernel frames of one sample; the kernel's own default limit
	MAX_MAPPINGS = 512, // executable mappings of one process; a power of two
	MAX_TABLES = 1024,  // files with unwind rules; number 0 is none
	PAGE_BITS = 8,      // log2 of the bytes of a page of code: an unwind table has an index of its rows by page
	GRANULE_BITS = 4,   // log2 of the bytes of a granule: the index has a bit for each of a page
	MAX_EDGES = 128,    // edges of the label rules; a power of two
	MAX_NODES = 64,     // nodes of the label rules; a power of two
	NODE_EDGES = 64,    // edges of one node
	MAX_LABELS = 64,    // labels of the label rules; a power of two
	MAX_SLOTS = 128,    // names of properties and keys of Maps that label rules use; a power of two
	MAX_NAME = 64,      // bytes of such a name, where it is sought in a table
	MAX_STORES = 64,    // entries of the AsyncContextFrame, or stores of a resource, that are read
	MAX_VISITS = 64,    // objects that the label rules lead to in one sample; a power of two
	MAX_PROBES = 32,    // entries of one table that are compared with one key
	MAX_CONTEXT_STEPS = 1024, // tables' entries, objects and parts of strings that one sample's context takes
	MAX_STRING = 512,     // bytes of one label value
	MAX_BYTES = 16,       // elements of an array of bytes that is a label value
	HEAP_STATE = 64,      // bytes of V8's Heap that are read, from its state on
	MAX_CALLS = 16,       // frames between libuv's worker() and the leaf; a power of two
	STACK_WORDS = 64,     // words above the stack pointer of the first frame of V8
	MAX_PUBLISHED = 8,    // thread-local variables of published contexts; a power of two
	MAX_ATTRIBUTES = 612, // bytes of the attributes of one published record
	MAX_LOCAL = 64,       // labels of one published label set
	READ_IN_GC = 5 * 1000 * 1000, // nanoseconds that records wait at most in a collection that frees and moves code
	KNOWN_SETS = 1 << 13, // fingerprints of what hotspan has read: sets, a power of two,
	KNOWN_WAYS = 4,       // and how many each holds
	CODE_BITS = 5,        // log2 of the bytes that are of one piece of generated code: V8 aligns each
	MAX_LOCAL_TEXT = 255, // bytes of the key, and of the value, of one of them
	MAX_SPECS = 65,       // probes, and number 0, which is none
	MAX_SYSCALLS = 1024,  // numbers of system calls
	MAX_WAITING = 1 << 14, // threads whose waiting is known
	MAX_ENDED = 64,        // processes of which it is told apart when a thread has ended; a power of two
	MAX_REPLACED = 256,    // and when their code may be other code; a power of two
	MAX_GONE = 4,          // files whose code is replaced at a time, before none counts
};

// Values of a field that stand for "none".
enum none {
	NO_NODE = 0xff,
	NO_LABEL = 0xff,
	PAGE_FAULT = 0xffffffff, // no system call: the thread has waited in a page fault
	NOT_IN_CALL = 0xfffffffe, // the thread has hit a tracepoint outside of its system calls
};
