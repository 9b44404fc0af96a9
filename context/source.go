package context

// Source is one way in which labels of a request reach a sample. The order is that of precedence: where two sources
// have a value for a label, the earlier one's counts.
//
//	source           what is read                                           labels
//	Rules            what the user's rules lead to                          those of the rules
//	PublishedNode    OTEP 4947 record of the running continuation           trace_id, span_id, attributes by their keys
//	PublishedThread  OTEP 4947 record of the thread                         the same
//	PublishedLabels  custom labels of the continuation, then of the thread  their own keys
//	OpenTelemetry    the store of the OpenTelemetry SDK                     trace_id, span_id; route, or method and path
//	Sentry           the store of Sentry, from 11 on                        trace_id, span_id
//	Datadog          the store of dd-trace                                  as OpenTelemetry
type Source uint8

// The sources. What the user asks for by name goes first, then what the application publishes, then what hotspan finds
// by itself in the objects of tracers.
const (
	Rules Source = iota
	PublishedNode
	PublishedThread
	PublishedLabels
	OpenTelemetry
	Sentry
	Datadog
	NumSources // how many there are
)

// LabelsBySource has the labels of one sample, in one list for each Source. A key is at most once in a list.
type LabelsBySource [NumSources][]Label

// MaxPublishedLabels bounds the labels of one sample that are taken from one of the published sources. The BPF program
// has the same bound.
const MaxPublishedLabels = 64
