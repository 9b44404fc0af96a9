package bpf

// The types of the maps and of the records in the ring buffer. The C headers document them: process.h, learned.h and
// event.h.
type (
	Sample         = hotspanSample
	Frame          = hotspanFrame
	Lifecycle      = hotspanLifecycle
	Consumer       = hotspanConsumer
	Process        = hotspanProcess
	Mapping        = hotspanMapping
	Edge           = hotspanEdge
	Node           = hotspanNode
	Shape          = hotspanShape
	ShapeKey       = hotspanShapeKey
	AsyncHooks     = hotspanAsyncHooks
	EnvironmentKey = hotspanEnvironmentKey
	Resource       = hotspanResource
	SymbolKey      = hotspanSymbolKey
	KeptKey        = hotspanKeptKey
	PublisherKey   = hotspanPublisherKey
	WorkKey        = hotspanWorkKey
	Work           = hotspanWork
	JobObject      = hotspanJobObject
	Pool           = hotspanUvPool
	Name           = hotspanName
	IsolateKey     = hotspanIsolateKey
	IsolateNames   = hotspanIsolateNames
	ContextRecord  = hotspanContextRecord
	V8Layout       = hotspanV8Layout
	Place          = hotspanPlace
	Probe          = hotspanProbe
	Condition      = hotspanCondition
	Published      = hotspanPublished
	Waiting        = hotspanWaiting
	WaitTimes      = hotspanWaitTimes
	SampledRecord  = hotspanSampledRecord
	Objects        = hotspanObjects
)
