package layout

// Field names one thing that hotspan must know of a V8 build: an offset, a tag value, an enumerator. Offsets count in
// bytes from the start of the untagged object, or from the Isolate, unless the comment says otherwise. New Fields may
// be added between others: keep their names, not their numbers.
type Field uint8

// The fields, by the V8 class they belong to.
const (
	// Thread and isolate. At fs_base + IsolateTLS, which is negative, stands the pointer to the thread's Isolate.
	IsolateTLS Field = iota
	IsolateKey       // until V8 10 instead of IsolateTLS: ELF virtual address of an int, the pthread_getspecific key
	IsolateContext
	IsolateCEntryFP // frame pointer of the youngest frame that entered C++, or 0
	IsolateVMState  // u16 (u32 until V8 11): v8::StateTag of include/v8-unwinder.h
	IsolateCPED     // continuation-preserved embedder data
	IsolateHeap     // the Heap itself, not a pointer to it
	HeapGCState     // u32, from the Heap; 0 = no collection
	HeapMSCount     // u32, from the Heap: how many mark-compacts have begun

	// Heap objects in general.
	MapInstanceSizeInWords
	MapInObjectStartInWords
	MapInstanceType
	MapBitField3
	MapConstructorOrBackPointer
	MapDescriptors
	BitField3DictionaryMapBit    // bit number
	BitField3OwnDescriptorsBit   // lowest bit number; 10 bits wide
	DescriptorsHeader            // bytes before the first {key, details, value}
	DescriptorsEntrySize         // bytes of one descriptor
	DetailsLocationBit           // 0 = in the object, 1 = in the descriptor
	DetailsFieldIndexShift       // of the untagged details
	NameDictionaryPrefix         // words after the hash table's three header words
	JSReceiverPropertiesOrHash   // property array, dictionary or identity hash
	PropertyArrayLengthAndHash   // Smi: length, hash above it
	PropertyArrayHashShift       // of the untagged word; the hash has 21 bits
	PropertyArrayData            // first element
	FixedArrayLength             // also of byte arrays
	FixedArrayData               // also of byte arrays
	JSObjectElements             //
	JSArrayLength                //
	JSMapTable                   //
	JSObjectInternalField        // internal field 0 of an object that C++ made: a word that is not tagged
	HeapNumberValue              //
	OddballToString              //
	OddballKind                  // Smi: one of the next
	OddballFalse                 //
	OddballTrue                  //
	OddballHole                  // where the hole is an Oddball
	SymbolDescription            //
	SymbolFlags                  // u32
	SymbolRegisteredBit          // bit number in SymbolFlags: the symbol is one of Symbol.for
	SymbolPrivateBit             // bit number in SymbolFlags: it is a private name of a class
	NameHash                     // u32, hash above two flag bits
	StringLength                 // i32
	SeqStringChars               //
	ConsStringFirst              //
	ConsStringSecond             //
	SlicedStringParent           //
	SlicedStringOffset           // Smi
	ThinStringActual             //
	ExternalStringData           // cached data pointer
	StringRepresentationMask     // of the instance type
	StringOneByteBit             // mask of the instance type
	StringUncachedExternalBit    // mask of the instance type
	FirstNonStringType           // instance type
	SeqStringTag                 //
	ConsStringTag                //
	ExternalStringTag            //
	SlicedStringTag              //
	ThinStringTag                //
	JSFunctionShared             //
	JSFunctionContext            //
	SFITrustedData               // bytecode, baseline code, interpreter data; SFI = SharedFunctionInfo
	SFIUntrustedData             // builtin id and others; equals SFITrustedData before it was split (V8 12.4)
	SFINameOrScopeInfo           //
	SFIScript                    // until V8 11 a DebugInfo stands there when a debugger has looked at the function
	SFIFunctionLiteralID         // i32
	ScopeInfoFlags               //
	ScopeInfoContextLocalCount   //
	ScopeInfoFirstVars           // byte offset of the first variable part (a module scope has one word more before it)
	ScopeInfoFlagsAreSmi         // 1 if flags is a Smi, 0 if a raw u32
	ScopeInfoHasSavedClassVarBit // bit number of the flags
	ScopeInfoReceiverBit         // lowest bit of two: 1 or 2 where the receiver has a slot
	ScopeInfoFunctionVarBit      // lowest bit of the two
	ScopeInfoInferredNameBit     //
	ScopeInfoMaxInlinedNames     // names are in a hash table from this many locals on; absent: never
	ScopeInfoStartPosition       // Smi; absent: it stands behind the inferred name
	ScriptSource                 //
	ScriptName                   //
	ScriptLineOffset             //
	ScriptColumnOffset           //
	ScriptID                     //
	ScriptSourceURL              //
	ScriptSourceMappingURL       //
	ScriptInfos                  // weak array of SharedFunctionInfos by function literal id
	BytecodeArrayLength          // Smi
	BytecodeArrayPositions       // source position table
	BytecodeArrayFirstByte       //
	CodeDeoptData                // of baseline code: the bytecode array
	CodePositions                // source position table; of baseline code: the bytecode offset table
	CodeInstructionStart         // address; absent where Code and InstructionStream are one object
	CodeInstructionSize          // i32
	CodeFlags                    // u32
	CodeFlagsKindMask            //
	InstructionStreamBody        // first instruction
	InstructionStreamCode        // back pointer to Code; absent where they are one object
	KindBuiltin                  // CodeKind enumerators from here: CodeFlags & CodeFlagsKindMask
	KindRegexp                   //
	KindJSToWasm                 //
	KindBaseline                 //
	KindMaglev                   //
	KindTurboFan                 //
	DeoptLiterals                // word index in the deoptimization data from here
	DeoptInlining                //
	DeoptSFI                     //
	DeoptTranslation             // word index of the frame translations
	DeoptEntries                 // word index of the first deoptimisation point
	DeoptEntrySize               // words of one
	DeoptEntryTranslation        // word index in one of where its translation begins
	DeoptExitStart               // word index of the Smi that is the code offset of the deopt exits
	DeoptExitSize                // bytes of one exit; exit i is of deoptimisation point i
	DeoptimizerFrom              // offset in the deoptimiser's own object of the address that the exit would return to
	DeoptimizerInput             // and of the description of the frame that it takes apart
	FrameDescriptionContent      // offset of the first word in that; u64 size in bytes is at 0
	SafepointLength              // u32 number of entries of Maglev's safepoint table; their format is behind it
	SafepointHeader              // bytes before the first entry
	TranslationJSFrames          // number of opcodes for JavaScript frames, the first ones: two interpreted, builtins
	TranslationBegin             // opcode that begins a translation; so does the next one
	TranslationLiteral           // opcode of a value that is a literal of the code
	SFIWrapperShared             // SharedFunctionInfoWrapper
	PositionsUnsigned            // 1: V8 14.1's position table, 0: the one before
	TypeMap                      // instance types from here
	TypeSharedFunctionInfo       //
	TypeScript                   //
	TypeScopeInfo                //
	TypeBytecodeArray            //
	TypeCode                     //
	TypeInstructionStream        //
	TypeJSFunctionFirst          //
	TypeJSFunctionLast           //
	TypeJSMap                    //
	TypeJSObject                 //
	TypeJSArray                  //
	TypeJSWeakRef                //
	TypeFixedArray               //
	TypeSymbol                   //
	TypeHeapNumber               //
	TypeOddball                  //
	TypePropertyArray            //
	TypeInterpreterData          //
	InterpreterDataBytecode      // offset in InterpreterData
	TypeDebugInfo                //
	DebugInfoScript              // until V8 11
	TypeBaselineData             // V8 9: what a function with baseline code has instead of the code
	BaselineDataCode             //
	BaselineDataBytecode         //
	WasmFrameMarker              // type marker of a WebAssembly frame, untagged
	FirstJSObjectType            // the first of objects that JavaScript made or that C++ made for it
	NativeContextEmbedderData    // in a native context: what an embedder such as Node keeps there
	EmbedderDataFirst            // first slot of that, raw words
	WasmToJSFrameMarker          // of the code that a WebAssembly function calls to call JavaScript
	JSToWasmFrameMarker          // of the code that JavaScript calls to call a WebAssembly function
	WasmManagerRoot              // root of the tree of modules, from the WasmCodeManager
	WasmModuleBytes              // offsets in a NativeModule from here: pointer to {address, size} of its bytes
	WasmModuleCode               // root of the tree of code
	WasmModuleNewCode            // vector of code that is not in that tree yet
	WasmCodeModule               // offsets in a WasmCode from here: NativeModule
	WasmCodeStart                // address of the first instruction
	WasmCodeTables               // address of the traps, relocation info, source and inlining positions in a row
	WasmCodeSize                 // u32 of the instructions
	WasmCodeRelocation           // u32 size
	WasmCodePositions            // u32 size
	WasmCodeInlining             // u32 size; absent where nothing is inlined
	WasmInliningEntry            // bytes of an entry of the table of inlined calls
	WasmCodeTraps                // u32 size
	WasmCodeIndex                // i32 of the function
	TypeWasmModuleObject         // instance type
	TypeWasmInstanceObject       // instance type
	RegExpArgument               // of the code of a regular expression: from the frame pointer, the object
	TypeJSRegExp                 // instance type
	JSRegExpSource               //
	JSRegExpData                 //
	TypeRegExpData               // instance type of the data of a regular expression that is compiled
	RegExpDataSource             //
	SFIFlags                     // u32; the function's kind is in the lowest five bits
	KindMembersInitializer       // first FunctionKind of functions that initialise the fields of an object
	KindStaticInitializer        // first one of those that initialise a class: as many, right behind
	ScriptEvalFrom               // SharedFunctionInfo of the function that evaluated the script
	ScriptEvalPosition           // Smi: source position of the call in it; negative: bytecode offset of the call
	ScriptWasmModule             // of a Script of WebAssembly: the Managed that keeps the NativeModule
	JSDateValue                  // milliseconds since 1970
	JSDateRaw                    // 1: they are a double, 0: a HeapNumber or a Smi
	JSRegExpFlags                // Smi: one bit each for g, i, m, y, u, s, an own one of V8's, d, v
	JSPromiseResult              // value or reason; of a pending promise its reactions
	JSPromiseFlags               // Smi; the lowest two bits: pending, fulfilled, rejected
	JSPrimitiveWrapperValue      //
	JSProxyTarget                //
	JSProxyHandler               //
	JSBoundFunctionTarget        //
	JSArrayBufferByteLength      // u64
	JSArrayBufferBackingStore    // address of its bytes
	JSArrayBufferFlags           // u32: bits 2 detached, 4 shared, 5 resizable
	JSArrayBufferViewBuffer      //
	JSArrayBufferViewByteOffset  // u64
	JSArrayBufferViewByteLength  // u64
	JSTypedArrayExternal         // added to the next it is the address of the elements
	JSTypedArrayBase             // a Smi 0, or the elements if they are in the heap
	MapElementsKind              // byte in a hidden class; its upper six bits are the kind of the elements
	KindDictionaryElements       // that kind of objects whose elements are in a dictionary
	MapBitField                  // byte in a hidden class: bits 2 and 3 say that C++ is asked for properties
	BigIntBitField               // u32: bit 0 negative, then the number of digits
	BigIntDigits                 // words of 64 bits, least first
	TypeAPIObject                // instance type of objects that C++ made
	TypeBigInt                   // instance type
	TypeJSGeneratorObject        // instance type; that of asynchronous generators is another
	NumFields
)
