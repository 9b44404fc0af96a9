// Package context finds out which request a sample of a Node.js process belongs to, and says it in labels.
//
// A label rule ([Rule]) is a path from the store of an AsyncLocalStorage to a value that becomes a label. The BPF
// program of hotspan follows the paths in the kernel at the instant of the sample; package nodejs finds where Node.js
// keeps the stores. This package does the rest:
//
//   - It reads rules ([ParseRule], [ReadRules]), has built-in ones for OpenTelemetry, dd-trace and Sentry
//     ([Kinds.Rules]), and joins all of them in one [Tree].
//   - It follows a path outside the kernel too ([Follow]), and collects the properties that stores have
//     ([StoreProperties]).
//   - It decodes what was read: values ([Tree.Decode]), and what applications publish by OpenTelemetry's OTEP 4719 and
//     4947 ([ReadProcessContext], [DecodeRecord], [DecodeCustomLabel]). [Merge] makes one set of labels of all sources.
//
// A hidden class is what V8 calls a Map; "JavaScript Map" always means the object that JavaScript code makes with new
// Map. Addresses and offsets are in bytes, in the address space of the process. Builds of Node.js for 64-bit
// little-endian machines are read, without pointer compression.
//
// The process runs while its memory is read, and may hold anything: each function reads a bounded amount of memory.
// What it cannot make sense of is an error, or is left out. Nothing is written to the process.
//
// Several goroutines may use the same Rules, Kinds and Tree, which do not change once they are made. A [heap.Reader]
// and [StoreProperties] belong to one goroutine at a time. Functions keep no state.
package context
