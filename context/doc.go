// Package context finds out which request a sample of a Node.js process belongs to, and says it in labels.
//
// A label rule ([Rule]) is a path from the store of an AsyncLocalStorage to a value that becomes a label. The BPF
// program of hotspan follows the paths in the kernel at the instant of the sample; package nodejs finds where Node.js
// keeps the stores. This package has the rules, and what becomes of the values:
//
//   - It reads rules ([ParseRule], [ReadRules]), has built-in ones for OpenTelemetry, dd-trace and Sentry
//     ([Kinds.Rules]), and joins all of them in one [Tree].
//   - It follows a path outside the kernel too ([Follow]), and collects the properties that stores have
//     ([StoreProperties]).
//   - It makes labels of the values that were read ([Tree.Decode]), and one set of those of all sources ([Merge]). What
//     processes publish is such a source; package published reads it.
//
// A hidden class is what V8 calls a Map; "JavaScript Map" always means the object that JavaScript code makes with new
// Map.
//
// The process runs while its memory is read, and may hold anything: each function reads a bounded amount of memory.
// What it cannot make sense of is an error, or is left out.
//
// Several goroutines may use the same Rules, Kinds and Tree, which do not change once they are made. A [heap.Reader]
// and [StoreProperties] belong to one goroutine at a time. Functions keep no state.
package context
