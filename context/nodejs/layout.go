package nodejs

// field is a number that describes a struct of Node.js, or of what it is built with.
type field uint8

// What is read of Node.js. Offsets and sizes are in bytes.
const (
	noField field = iota

	// The way from a context to the Environment.
	embedderSlot

	// AsyncHooks, and the buffers in it.
	hooksInit
	hooksStackLength
	hooksUsesResource
	hooksFields
	hooksIDs
	bufferCount
	bufferOffset
	bufferData
	bufferSize
	bufferSizeVirtual
	bufferSizeWeak
	promiseHooks

	// libstdc++'s containers.
	vectorSize
	dequeSize
	dequeNodeSize

	// BaseObject and AsyncWrap.
	wrapHandle
	wrapRealm
	wrapFrame
	wrapFrameField

	// AsyncResource.
	resourceEnvironment
	resourceHandle
	resourceFrame

	// ThreadPoolWork.
	workEnvironment
)

// row says what a field is, and why. It holds for versions of Node.js from <= version < below; an empty below is no
// bound. Where versions differ there are several fields, and the code tells by the memory which of them holds: a
// process does not say reliably which Node.js it is.
type row struct {
	what        string // member or constant, in the words of the source
	n           int
	from, below string
	why         string // source file, in Node's tree unless it says otherwise, and the reason
}

// value is the number of a field.
func (f field) value() int { return table[f].n }

// table has a row for each field. Node.js has no constants for debuggers that would tell them. The headers of the
// BPF program have those that it needs at each sample; those of libuv's requests stand beside the code that finds
// libuv's pool.
var table = [...]row{
	embedderSlot: {"NODE_CONTEXT_EMBEDDER_DATA_INDEX", 32, "16", "",
		"src/node_context_data.h: ContextEmbedderIndex::kEnvironment, the address of the Environment"},

	hooksInit: {"AsyncHooks::kInit", 0, "16", "",
		"src/env.h: enum AsyncHooks::Fields; number of active hooks that have an init callback"},
	hooksStackLength: {"AsyncHooks::kStackLength", 7, "16", "",
		"src/env.h: enum AsyncHooks::Fields; length of the stack of resources"},
	hooksUsesResource: {"AsyncHooks::kUsesExecutionAsyncResource", 8, "16", "",
		"src/env.h: enum Fields; 1 once executionAsyncResource() was called, as any AsyncLocalStorage does"},
	hooksFields: {"AsyncHooks::kFieldsCount", 9, "16", "",
		"src/env.h: enum AsyncHooks::Fields; elements of fields_, u32"},
	hooksIDs: {"AsyncHooks::kUidFieldsCount", 4, "16", "",
		"src/env.h: enum AsyncHooks::UidFields; elements of async_id_fields_, double, right behind fields_"},
	bufferCount: {"AliasedBufferBase::count_", 8, "16", "",
		"src/aliased_buffer.h: number of elements, behind isolate_, from which the offsets in a buffer are"},
	bufferOffset: {"AliasedBufferBase::byte_offset_", 16, "16", "",
		"src/aliased_buffer.h: behind count_; 0 for the buffers of AsyncHooks"},
	bufferData: {"AliasedBufferBase::buffer_", 24, "16", "",
		"src/aliased_buffer.h: address of the elements, behind byte_offset_"},
	bufferSize: {"AliasedBufferBase from isolate_ on", 0x30, "16", "",
		"src/aliased_buffer.h: isolate_, count_, byte_offset_, buffer_, js_array_ and index_"},
	bufferSizeVirtual: {"sizeof(AliasedBufferBase)", 0x38, "18", "",
		"src/aliased_buffer.h: a vtable before isolate_, since it is a MemoryRetainer"},

	bufferSizeWeak: {"AliasedBufferBase from isolate_ on, with cleared_", 0x38, "20", "20.4",
		"src/aliased_buffer.h: a bool before index_, since buffers could be made weak"},

	promiseHooks: {"AsyncHooks::js_promise_hooks_", 8, "16", "",
		"src/env.h: the handles of four functions, from the end of native_execution_async_resources_; behind info_"},

	vectorSize: {"sizeof(std::vector)", 24, "16", "", "libstdc++, bits/stl_vector.h: three pointers"},
	dequeSize: {"sizeof(std::deque)", 80, "16", "",
		"libstdc++, bits/stl_deque.h: the map, its size, and two iterators of four words"},
	dequeNodeSize: {"_GLIBCXX_DEQUE_BUF_SIZE", 512, "16", "",
		"libstdc++, bits/stl_deque.h: size of a node"},

	wrapHandle: {"BaseObject::persistent_handle_", 8, "16", "",
		"src/base_object.h: the first member behind the vtable; the handle of the JavaScript object"},
	wrapRealm: {"BaseObject::realm_", 16, "16", "",
		"src/base_object.h: behind persistent_handle_; until Node.js 18 it is env_, an Environment"},
	wrapFrame: {"AsyncWrap::context_frame_", 72, "22", "24.15",
		"src/async_wrap.h: the handle of the AsyncContextFrame, behind trigger_async_id_"},
	wrapFrameField: {"AsyncWrap's internal field of the AsyncContextFrame", 16, "24.15", "",
		"src/async_wrap.h: the third internal field, from the first one; behind kEmbedderType and kSlot"},

	resourceEnvironment: {"AsyncResource::env_", 8, "16", "",
		"src/node.h: the first member behind the vtable"},
	resourceHandle: {"AsyncResource::resource_", 16, "16", "",
		"src/node.h: behind env_; the handle of the JavaScript object"},
	resourceFrame: {"AsyncResource::context_frame_", 24, "24", "",
		"src/node.h: behind resource_; the handle of the AsyncContextFrame"},

	workEnvironment: {"ThreadPoolWork::env_", 8, "16", "",
		"src/node_internals.h: the first member behind the vtable"},
}
