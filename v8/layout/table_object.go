package layout

// Hidden classes, descriptors and the objects that context is read through.
var objectRows = []row{
	dbg(MapInstanceSizeInWords, "class_Map__instance_size_in_words__char"),
	dbg(MapInObjectStartInWords, "class_Map__inobject_properties_start_or_constructor_function_index__char"),
	dbg(MapInstanceType, "class_Map__instance_type__uint16_t"),
	dbg(MapBitField3, "class_Map__bit_field3__int"),
	{field: MapConstructorOrBackPointer,
		dbg: []string{"class_Map__constructor_or_back_pointer__Tagged_Object_", "class_Map__constructor_or_back_pointer__Object"}},
	dbg(MapDescriptors, "class_Map__instance_descriptors__Tagged_DescriptorArray_", "class_Map__instance_descriptors_offset"),
	dbg(BitField3DictionaryMapBit, "bit_field3_is_dictionary_map_shift"),
	dbg(BitField3OwnDescriptorsBit, "bit_field3_number_of_own_descriptors_shift"),
	dbg(DescriptorsHeader, "class_DescriptorArray__header_size__uintptr_t"),
	{field: DescriptorsEntrySize, dbg: []string{"prop_desc_size"}, scale: word,
		why: "src/objects/descriptor-array.h: the constant counts words"},
	dbg(DetailsLocationBit, "prop_location_shift"),
	dbg(DetailsFieldIndexShift, "prop_index_shift"),
	dbg(NameDictionaryPrefix, "namedictionaryshape_prefix_size"),

	dbg(JSReceiverPropertiesOrHash, "class_JSReceiver__raw_properties_or_hash__Tagged_Object_",
		"class_JSReceiver__raw_properties_or_hash__Object"),
	fixed(PropertyArrayLengthAndHash, 8, "src/objects/property-array.h: the first field behind the map"),
	fixed(PropertyArrayHashShift, 10, "src/objects/property-array.h: LengthField has 10 bits, HashField follows"),
	fixed(PropertyArrayData, 16, "src/objects/property-array.h: map and length_and_hash come first"),
	dbg(FixedArrayLength, "class_FixedArrayBase__length__SMI"),
	dbg(FixedArrayData, "class_FixedArray__data__uintptr_t"),
	dbg(JSObjectElements, "class_JSObject__elements__Object"),
	{field: JSArrayLength, rules: after(JSObjectElements, word, "src/objects/js-array.tq: the first field of JSArray")},
	{field: JSMapTable, rules: after(JSObjectElements, word, "src/objects/js-collection.tq: the first field of JSCollection")},
	{field: JSObjectInternalField, rules: []rule{
		{below: v(12, 5), of: JSObjectElements, n: word, relative: true,
			why: "include/v8-internal.h, kJSObjectHeaderSize: behind the header of JSObject"},
		{from: v(12, 9), of: JSObjectElements, n: 2 * word, relative: true,
			why: "include/v8-internal.h, kJSAPIObjectWithEmbedderSlotsHeaderSize: cpp_heap_wrappable comes first"},
	}},
	dbg(HeapNumberValue, "class_HeapNumber__value__double"),
	fixed(OddballToString, 16, "src/objects/oddball.h: behind the raw number of to_number"),
	dbg(OddballKind, "class_Oddball__kind__int", "class_Oddball__kind_offset__int"),
	dbg(OddballFalse, "OddballFalse"),
	dbg(OddballTrue, "OddballTrue"),
	{field: OddballHole, dbg: []string{"OddballTheHole"}, rules: []rule{
		{from: v(12, 0), absent: true, why: "src/objects/hole.h: the hole is of a type of its own"}}},
	dbg(SymbolDescription, "class_Symbol__name__Object"),
	fixed(SymbolFlags, 12, "src/objects/name.tq: flags, behind raw_hash_field"),
	// Which V8 from 14.2 on was the first is not known: Node has none between 14.1 and 14.6.
	{field: SymbolRegisteredBit, rules: []rule{
		{below: v(14, 2), n: 2, why: "src/objects/name.tq: is_in_public_symbol_table, behind is_private and is_well_known_symbol"},
		{from: v(14, 2), n: 3, why: "src/objects/name.tq: is_in_public_symbol_table; what is private takes two bits"}}},
	{field: SymbolPrivateBit, rules: []rule{
		{below: v(14, 2), n: 4, why: "src/objects/name.tq: is_private_name, behind is_interesting_symbol"},
		{from: v(14, 2), n: 1, why: "src/objects/name.tq: the upper of two bits, set for names and brands of classes"}}},
	fixed(NameHash, 8, "src/objects/name.h: raw_hash_field, the first field behind the map"),
}

// Strings. A string's instance type has its representation in the low bits.
var stringRows = []row{
	dbg(StringLength, "class_String__length__int32_t"),
	dbg(SeqStringChars, "class_SeqOneByteString__chars__char"),
	dbg(ConsStringFirst, "class_ConsString__first__String"),
	dbg(ConsStringSecond, "class_ConsString__second__String"),
	dbg(SlicedStringParent, "class_SlicedString__parent__String"),
	dbg(SlicedStringOffset, "class_SlicedString__offset__SMI"),
	dbg(ThinStringActual, "class_ThinString__actual__String"),
	{field: ExternalStringData, dbg: []string{"class_ExternalString__resource__Object"}, add: word,
		why: "src/objects/string.h: resource_data is behind resource"},
	dbg(StringRepresentationMask, "StringRepresentationMask"),
	dbg(StringOneByteBit, "OneByteStringTag"),
	fixed(StringUncachedExternalBit, 1<<4, "src/objects/instance-type.h: kUncachedExternalStringMask"),
	dbg(FirstNonStringType, "FirstNonstringType"),
	dbg(SeqStringTag, "SeqStringTag"),
	dbg(ConsStringTag, "ConsStringTag"),
	dbg(ExternalStringTag, "ExternalStringTag"),
	dbg(SlicedStringTag, "SlicedStringTag"),
	dbg(ThinStringTag, "ThinStringTag"),
}
