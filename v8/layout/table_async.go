package layout

// What leads to Node's async_hooks and the resources on its stack.
var asyncRows = []row{
	dbg(FirstJSObjectType, "SpecialAPIObjectType"),
	fixed(NativeContextEmbedderData, 48,
		"src/objects/contexts.h: EMBEDDER_DATA_INDEX is slot 4, behind the map and the length"),
	fixed(EmbedderDataFirst, 16, "src/objects/embedder-data-array.h: behind the map and the length"),
}
