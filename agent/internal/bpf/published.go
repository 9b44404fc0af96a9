package bpf

// The kinds of published context: enum published_kind of thread_context.h.
const (
	PublishedNode       = uint32(hotspanPublishedKindPUBLISHED_NODE)
	PublishedThread     = uint32(hotspanPublishedKindPUBLISHED_THREAD)
	PublishedNodeLabels = uint32(hotspanPublishedKindPUBLISHED_NODE_LABELS)
	PublishedLabels     = uint32(hotspanPublishedKindPUBLISHED_LABELS)
)

// PublishedVariable is a thread-local variable in which applications publish contexts for readers outside the process.
type PublishedVariable struct {
	Kind uint32 // how the BPF program reads it
	Name string // its symbol
	What string // what doctor calls it
	// Node says that it leads to a value in V8's AsyncContextFrame: without one it is not read.
	Node bool
	// Hash is the symbol of a second variable: the identity hash of the AsyncLocalStorage that Name leads to.
	Hash string
	// Version is the symbol of a u32, no thread-local, that must be 1. Where it is empty, a process context goes with
	// the variable.
	Version string
}

// PublishedVariables are all that are read, by precedence.
var PublishedVariables = []PublishedVariable{
	// RFC in open-telemetry/opentelemetry-ebpf-profiler, pull request 1861
	{Kind: PublishedNode, Name: "otel_thread_ctx_nodejs_v1", What: "otel_thread_ctx_nodejs_v1", Node: true},
	// OpenTelemetry, OTEP 4947
	{Kind: PublishedThread, Name: "otel_thread_ctx_v1", What: "otel_thread_ctx_v1"},
	// github.com/polarsignals/custom-labels, js/addon.cpp
	{Kind: PublishedNodeLabels, Name: "custom_labels_als_handle", What: "custom labels of Node.js", Node: true,
		Hash: "custom_labels_als_identity_hash", Version: labelsVersion},
	// Polar Signals, Custom Label ABI (v1)
	{Kind: PublishedLabels, Name: "custom_labels_current_set", What: "custom labels of threads",
		Version: labelsVersion},
}

const labelsVersion = "custom_labels_abi_version"
