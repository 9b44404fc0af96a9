// Package nodejs reads what Node.js keeps in the memory of its process: its own C++ structs, and the objects of
// JavaScript that belong to them.
//
// In an Environment ([Environment]) Node.js keeps all that belongs to one JavaScript thread. From there, and from
// objects of JavaScript, this package reads
//
//   - the resource of async_hooks whose callback runs ([FindAsyncHooks], [AsyncHooks.CurrentResource]), and the stores
//     that a resource has ([StoresOf]). Where Node.js keeps stores in an AsyncContextFrame, V8 has the current one;
//   - what the work of libuv's pool belongs to ([FindOwnerLayout]), and the C++ object that a JavaScript object stands
//     for ([WrapOf], [FrameOf]);
//   - the time from which timers count ([ReadTimers]).
//
// [FindAsyncHooks], [FindResourceShape] and [FindOwnerLayout] tell where these are rather than what is there: the BPF
// program of hotspan reads them at the instant of a sample.
//
// Offsets are in a table, each with its source and the versions of Node.js for which it holds. Where versions differ,
// the memory tells which holds. Addresses and offsets are in bytes, in the address space of the process. Builds of
// Node.js for 64-bit little-endian machines are read, without pointer compression.
//
// The process runs while its memory is read, and may hold anything: each function reads a bounded amount of memory.
// What it cannot make sense of is an error, or is left out. Nothing is written to the process. Functions keep no state;
// a [heap.Reader] belongs to one goroutine at a time.
package nodejs
