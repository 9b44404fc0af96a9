// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The records that the BPF program writes into the ring buffer, and its counters.

#pragma once

#include <linux/types.h>

#include "limits.h"

enum record_type {
	RECORD_SAMPLE = 1,
	RECORD_EXEC, // a thread of a process called execve
	RECORD_EXIT, // the last thread of a process has ended
};

// Why a walk ended. Package v8/stack has the same numbers.
enum stop {
	STOP_ROOT = 1,    // the thread's first frame
	STOP_DEPTH,       // more than MAX_STEPS
	STOP_UNREADABLE,  // stack memory is not present
	STOP_NO_RULE,     // native code without an unwind rule
	STOP_NO_PROGRESS, // the caller's frame would lie below its callee's
	STOP_BAD_PC,      // return address 0 or not canonical
};

// Counters, by index into the map `counters`.
enum counter {
	COUNT_TAKEN,           // samples of the processes that are profiled, by the timer; see also struct probe
	COUNT_RING_FULL,       // of them lost because the ring buffer was full
	COUNT_RING_FULL_HIT,   // of hits of probes, and of waits
	COUNT_EVENT_RING_FULL, // exec and exit records that were lost, not samples
	COUNT_OVERLAPPED,      // of them lost because the CPU was taking the sample of a hit or a wait
	COUNT_NANOSECONDS,     // spent on taking samples
	NUM_COUNTERS,
};

// What a walk finds a frame to be. Package v8/stack has the same numbers.
enum frame_kind {
	FRAME_NATIVE = 1,
	FRAME_JS,      // V8 code whose frame holds a JSFunction
	FRAME_TYPED,   // V8 code whose frame holds a type marker
	FRAME_UNKNOWN, // no mapping is known for pc
	FRAME_GAP,     // native frames that could not be walked; the walk resumed at V8's exit frame
};

struct frame {
	__u64 pc;
	__u64 sfi;      // SharedFunctionInfo, tagged; FRAME_TYPED: the marker
	__u64 bytecode; // word at fp-32: the BytecodeArray if the frame is interpreted; FRAME_TYPED: the word at fp-16
	__s32 script;   // script id; -1 = none; FRAME_TYPED: the lower half of argument regexp_argument
	__s32 literal;  // function literal id; FRAME_TYPED: the upper half
	__s32 offset;   // Smi at fp-40: the interpreter's; -1 = not a Smi
	__u16 kind;     // enum frame_kind
	__u8 exact;     // pc is the next instruction, as of the leaf or behind a signal; else a return address
	__u8 generated; // pc is in no file, but in code that was generated at run time
};

// What V8 does in an isolate. (v8: include/v8-unwinder.h, enum StateTag)
enum vm_state {
	VM_STATE_JS,
	VM_STATE_GC,
	VM_STATE_PARSER,
	VM_STATE_BYTECODE_COMPILER,
	VM_STATE_COMPILER,
	VM_STATE_OTHER,
	VM_STATE_EXTERNAL,
	VM_STATE_ATOMICS_WAIT,
	VM_STATE_IDLE,
	VM_STATE_LOGGING,
	VM_STATE_IDLE_EXTERNAL, // from V8 14.6 on
	NO_ISOLATE = 0xff,      // not V8's: the thread has entered no isolate
};

// Of V8's Heap::HeapState (src/heap/heap.h).
enum gc_state {
	GC_MARK_COMPACT = 2,
};

// What follows a record in the ring buffer: n_kernel u64, n_frames struct frame, n_stack u64, n_context bytes. The
// stack words are those above the stack pointer of the first frame that is in V8's code.
struct sample {
	__u32 type;
	__u32 pid, tid;
	__u16 cpu;
	__u16 probe;          // number of the one that was hit; 0 = the timer fired
	__u64 time;           // CLOCK_MONOTONIC, nanoseconds
	__u64 ip, sp, bp, rax, rcx, r8, r9, r10; // user registers
	__u64 isolate;        // that the thread has entered; 0 = none, or not known
	struct frame callee;  // what rdi would be as a JSFunction: the callee in a prologue
	__u64 work;           // of a thread of libuv's pool: the object that it works on; 0 = none
	__u64 turn;           // of the event loop that the thread runs; 0 = none, or not known
	__u64 job;            // number of that asynchronous operation, a double; 0 = none
	__u16 n_kernel, n_stack, n_frames, n_context;
	__u8 vm_state;        // enum vm_state
	__u8 gc_state;        // V8's Heap::HeapState
	__u8 stop;            // enum stop
	__u8 in_job;          // a thread of libuv's pool has work, whoever gave it
	__u16 skipped;        // frames that the record lacks after the first KEPT_LEAF; then those behind are a ring
	__u8 resumed;         // there was a FRAME_GAP
	__u8 is_new;          // naming it needs something that hotspan has not read: see known.h
	char comm[16];
	__u64 weight;         // nanoseconds that a thread has waited, or what a probe counts; else 0
	__u32 call;           // number of the system call in which it has waited, or PAGE_FAULT
	__s32 others;         // hits that it stands for besides its own; -1 = for none, but for their values
	__u64 mark_compacts;  // that the isolate has had, and 1; 0 = not known, or one is under way
};

// How hotspan reads the ring buffer, and what it is told without a record.
struct consumer {
	__u64 wakeups; // that were sent
	__u64 ended[MAX_ENDED]; // by pid modulo MAX_ENDED: when a thread ended last, CLOCK_MONOTONIC, nanoseconds
	// By process.id modulo MAX_REPLACED: when memory was last given out where code of a file was, as well.
	__u64 replaced[MAX_REPLACED];
	// Written by hotspan:
	__u64 read_at;   // when it read a record last, CLOCK_MONOTONIC, nanoseconds
	__u64 read_every; // how long records wait at most that need not be read at once, nanoseconds
	__u64 forgotten; // how many fingerprints it has removed from those of what it has read
};

struct lifecycle {
	__u32 type;
	__u32 pid;
	__u64 time;
};

// A context record: this header and `length` bytes.
enum context_type {
	CONTEXT_ONE_BYTE = 1, // Latin-1 characters
	CONTEXT_TWO_BYTE,     // UTF-16
	CONTEXT_SMI,          // s64
	CONTEXT_DOUBLE,       // f64
	CONTEXT_BOOLEAN,      // u8
	CONTEXT_BYTES,        // of an array
	CONTEXT_MORE_ONE,     // Latin-1 characters that belong to the record before
	CONTEXT_MORE_TWO,     // UTF-16 that belongs to the record before
	CONTEXT_CUT,          // the string before is longer than MAX_STRING bytes
	CONTEXT_LEARN_NAMES,  // request, see below: u64 hidden class of a store, 0: its properties, to show them
	CONTEXT_UNREADABLE,   // a read failed, or a limit was reached
	CONTEXT_PRESENT,      // an AsyncLocalStorage has a store
	CONTEXT_RECORD,       // a record of OTEP 4947, as in memory, up to MAX_ATTRIBUTES; label = enum published_kind
	CONTEXT_LOCAL_NODE,   // key and value of a label of PUBLISHED_NODE_LABELS; label = bytes of the key
	CONTEXT_LOCAL_THREAD, // the same of PUBLISHED_LABELS
	CONTEXT_OVER_LIMIT,   // something published exceeds a limit
	CONTEXT_AGAIN,        // what follows is the same, read once more, since a collection was running
	// Requests to the agent, which answers by an update of a map of learned.h.
	CONTEXT_LEARN_ISOLATE,  // u64 isolate, u64 context of its JavaScript code or 0: where its async_hooks are
	CONTEXT_LEARN_RESOURCE, // u64 hidden class, u64 thread that has its isolate
	CONTEXT_LEARN_KEPT,     // u64 pc, 0: where the function there keeps pool.reg
	CONTEXT_LEARN_WORK,     // struct job_object: where such an object has what it belongs to
	CONTEXT_LEARN_PUBLISHER, // u64 isolate, 0: where its thread has what it publishes
	CONTEXT_NO_HOOKS,       // nobody knows where the isolate has its async_hooks: no store can be read
	CONTEXT_TIME,           // s64 nanoseconds since 1970
};

// Whether it is an AsyncContextFrame, or undefined, to which an object of Node's refers: by a handle in it, or in an
// internal field of its JavaScript object.
enum job_frame {
	FRAME_IN_HANDLE = 1,
	FRAME_IN_FIELD = 2,
};

#define JOB_WORDS 12 // more than where the id of the asynchronous operation may be

// What Node has for a job of libuv's pool. It is read while the thread works on it: it may be gone at once then.
struct job_object {
	__u64 class;            // of work_key
	__u64 words[JOB_WORDS]; // its first ones
	__u64 owner;            // Environment of the ThreadPoolWork in it; 0 = it has none
	__u64 frames;           // bits of enum job_frame
};

struct context_record {
	__u8 type;
	__u8 label;
	__u16 length;
};
