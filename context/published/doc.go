// Package published reads the records that processes publish in their memory for profilers.
//
// A process describes itself, and names the keys of its threads' records, in a process context ([ReadProcessContext];
// OpenTelemetry, OTEP 4719). What a thread or a continuation works on is in a thread context record ([DecodeRecord];
// OTEP 4947), or in custom labels of Polar Signals ([DecodeCustomLabel]). Of both the BPF program of hotspan copies the
// bytes at the instant of a sample; they become labels here. What the npm package hotspan publishes as a property of
// its store is found by a rule, so package context decodes it.
//
// A process may publish anything, and change it while it is read: each function reads a bounded amount of memory. What
// it cannot make sense of is an error, or is left out and counted. Functions keep no state, and may be called by
// several goroutines.
package published
