package process

import "github.com/hotspan/hotspan/v8/layout"

// CanSample returns an error that names the fields which the layout lacks and naming needs; nil if it has them all.
func CanSample(l *layout.Layout) error {
	if err := l.Require(NamingFields...); err != nil {
		return err
	}
	return l.Resolved(NamingFieldsIfAny...)
}

// CanReadRequest returns an error that names the fields which the layout lacks, if the request can be read neither from
// V8's AsyncContextFrame nor from the resources of async_hooks.
func CanReadRequest(l *layout.Layout) error {
	if l.Require(ContextFrameFields...) == nil {
		return nil
	}
	return l.Require(AsyncHooksFields...)
}

// NamingFields are the fields that naming needs; NamingFieldsIfAny, those that it needs in a V8 that has them.
var (
	NamingFields = []layout.Field{
		layout.MapInstanceType, layout.JSFunctionShared, layout.SFIScript, layout.SFIFunctionLiteralID,
		layout.SFINameOrScopeInfo, layout.ScriptID, layout.ScriptSource, layout.ScriptName,
		layout.BytecodeArrayFirstByte,
		layout.BytecodeArrayLength, layout.BytecodeArrayPositions, layout.CodeInstructionSize,
		layout.CodeFlags, layout.CodeFlagsKindMask, layout.CodePositions, layout.CodeDeoptData,
		layout.InstructionStreamBody, layout.StringLength, layout.FixedArrayLength,
		layout.FixedArrayData, layout.TypeScript, layout.TypeSharedFunctionInfo, layout.TypeBytecodeArray,
		layout.TypeCode, layout.TypeInstructionStream, layout.TypeScopeInfo, layout.FirstNonStringType,
	}
	NamingFieldsIfAny = []layout.Field{layout.CodeInstructionStart, layout.InstructionStreamCode}
)

// ContextFrameFields are the fields that reading the request from the AsyncContextFrame needs.
var ContextFrameFields = []layout.Field{
	layout.IsolateCPED, layout.JSMapTable, layout.TypeJSMap, layout.MapBitField3,
	layout.MapDescriptors, layout.JSReceiverPropertiesOrHash, layout.PropertyArrayData, layout.TypePropertyArray,
	layout.NameHash, layout.FixedArrayData, layout.TypeOddball, layout.OddballKind, layout.BitField3DictionaryMapBit,
	layout.DescriptorsHeader, layout.MapInstanceSizeInWords, layout.MapInObjectStartInWords,
	layout.BitField3OwnDescriptorsBit, layout.DetailsLocationBit, layout.DetailsFieldIndexShift,
}

// AsyncHooksFields are the fields that reading the request from async_hooks needs.
var AsyncHooksFields = []layout.Field{
	layout.IsolateContext, layout.MapBitField3, layout.MapDescriptors, layout.MapConstructorOrBackPointer,
	layout.BitField3DictionaryMapBit, layout.JSReceiverPropertiesOrHash, layout.PropertyArrayData,
	layout.TypePropertyArray, layout.JSObjectElements, layout.JSArrayLength, layout.FixedArrayData,
	layout.NameDictionaryPrefix, layout.NameHash, layout.TypeJSMap, layout.JSMapTable, layout.TypeJSArray,
	layout.TypeSymbol, layout.TypeOddball, layout.FirstJSObjectType, layout.NativeContextEmbedderData,
	layout.EmbedderDataFirst, layout.DescriptorsHeader, layout.MapInstanceSizeInWords, layout.MapInObjectStartInWords,
	layout.BitField3OwnDescriptorsBit, layout.DetailsLocationBit, layout.DetailsFieldIndexShift,
}
