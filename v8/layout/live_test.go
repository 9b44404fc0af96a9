package layout

import (
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// A check compares what V8's own printer says of an object with the object's memory at a field of the layout.
type check struct {
	object string // as testdata/print.js calls it
	says   string // what V8 prints before the number or address
	field  Field
	plus   int // bytes after the field
	as     func(printer) int64
	from   int // V8's major version that prints it first
}

// printer reads one word of the printed object.
type printer struct {
	t   *testing.T
	mem *os.File
	at  int64
}

func (p printer) read(n int) []byte {
	p.t.Helper()
	b := make([]byte, n)
	if _, err := p.mem.ReadAt(b, p.at); err != nil {
		p.t.Fatalf("read %#x: %v", p.at, err)
	}
	return b
}

func pointer(p printer) int64 { return int64(binary.LittleEndian.Uint64(p.read(8))) }
func weak(p printer) int64    { return pointer(p) &^ 2 }
func smi(p printer) int64     { return pointer(p) >> 32 }
func i32(p printer) int64     { return int64(int32(binary.LittleEndian.Uint32(p.read(4)))) }
func u16(p printer) int64     { return int64(binary.LittleEndian.Uint16(p.read(2))) }
func words(p printer) int64   { return int64(p.read(1)[0]) * word }
func hash(p printer) int64    { return int64(binary.LittleEndian.Uint32(p.read(4)) >> 2) }

var checks = []check{
	{"function", `elements`, JSObjectElements, 0, pointer, 0},
	{"function", `properties`, JSReceiverPropertiesOrHash, 0, pointer, 0},
	{"function", `shared_info`, JSFunctionShared, 0, pointer, 0},
	{"function", `context`, JSFunctionContext, 0, pointer, 0},
	{"map", `instance size`, MapInstanceSizeInWords, 0, words, 0},
	{"map", `instance descriptors[^:]*`, MapDescriptors, 0, pointer, 0},
	{"map", `constructor`, MapConstructorOrBackPointer, 0, pointer, 0},
	{"shared", `(?:(?:trusted_)?function_data|data)`, SFITrustedData, 0, pointer, 0},
	{"shared", `scope info`, SFINameOrScopeInfo, 0, pointer, 0},
	{"shared", `script`, SFIScript, 0, pointer, 0},
	{"shared", `function_literal_id`, SFIFunctionLiteralID, 0, i32, 12},
	{"script", `source`, ScriptSource, 0, pointer, 0},
	{"script", `name`, ScriptName, 0, pointer, 0},
	{"script", `line_offset`, ScriptLineOffset, 0, smi, 0},
	{"script", `column_offset`, ScriptColumnOffset, 0, smi, 0},
	{"script", `id`, ScriptID, 0, smi, 0},
	{"script", `source_url`, ScriptSourceURL, 0, pointer, 0},
	{"script", `source_mapping_url`, ScriptSourceMappingURL, 0, pointer, 11},
	{"script", `(?:infos|shared function infos)`, ScriptInfos, 0, pointer, 0},
	{"infos", `length`, FixedArrayLength, 0, smi, 0},
	{"infos", `2: \[weak\]`, FixedArrayData, 2 * word, weak, 0},
	{"outer scope", `context locals `, ScopeInfoContextLocalCount, 0, smi, 0},
	{"outer scope", `0`, ScopeInfoFirstVars, 0, pointer, 0},
	{"outer scope", `1`, ScopeInfoFirstVars, word, pointer, 0},
	{"scope", `function name`, ScopeInfoFirstVars, 0, pointer, 0}, // it has no locals
	{"baseline", `deoptimization_data_or_interpreter_data`, CodeDeoptData, 0, pointer, 12},
	{"baseline", `position_table`, CodePositions, 0, pointer, 12},
	{"baseline", `(?:instruction_start|code_entry_point)`, CodeInstructionStart, 0, pointer, 11},
	{"baseline", `instruction_size`, CodeInstructionSize, 0, i32, 12},
	{"turbofan", `(?:instruction_start|code_entry_point)`, CodeInstructionStart, 0, pointer, 11},
	{"js map", `(?:elements.* - )?table`, JSMapTable, 0, pointer, 0},
	{"symbol", `hash`, NameHash, 0, hash, 0},
	{"symbol", `description`, SymbolDescription, 0, pointer, 0},
	{"array", `length`, JSArrayLength, 0, smi, 0},
}

// TestAgainstV8sPrinter starts each Node and compares the layout with what V8 itself prints of its objects.
func TestAgainstV8sPrinter(t *testing.T) {
	for _, v := range nodes.Versions() {
		t.Run(v.Version, func(t *testing.T) {
			l, _ := readNode(t, v.Version)
			mem, texts := startPrinter(t, v)
			for _, c := range checks {
				if l.V8.Major < c.from {
					continue
				}
				obj := address(t, texts[c.object])
				got := c.as(printer{t, mem, obj + int64(l.At(c.field)+c.plus)})
				if want := said(t, texts[c.object], c.says); got != want {
					t.Errorf("%s %s at %s %+d: memory has %#x, V8 prints %#x", c.object, c.says, c.field, c.plus, got,
						want)
				}
			}
			checkKinds(t, l, mem, texts)
			checkStream(t, l, mem, texts["baseline"])
			checkPropertyArray(t, l, mem, texts["object"])
			checkBytecode(t, l, texts["bytecode"])
		})
	}
}

// startPrinter runs testdata/print.js and returns the process's memory and the printed texts.
func startPrinter(t *testing.T, v nodes.Version) (*os.File, map[string]string) {
	t.Helper()
	p := live.Start(t, v.Version, live.Natives(v, "testdata/print.js", live.Stdout)...)
	texts := map[string]string{}
	p.Said(t, &texts)
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", p.PID))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mem.Close() })
	return mem, texts
}

var printed = regexp.MustCompile(`DebugPrint: (0x[0-9a-f]+)`)

// address is the untagged address of a printed object.
func address(t *testing.T, text string) int64 {
	t.Helper()
	m := printed.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no address in %.200q", text)
	}
	return parse(t, m[1]) - 1
}

// said returns the first number or address that V8 prints after a word.
func said(t *testing.T, text, word string) int64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *(?:- )?` + word + `:? (0x[0-9a-f]+|-?[0-9]+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %.600s", word, text)
	}
	return parse(t, m[1])
}

func parse(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkKinds compares the kind bits of four Codes, and the instance types of several objects.
func checkKinds(t *testing.T, l *Layout, mem *os.File, texts map[string]string) {
	t.Helper()
	kinds := map[string]Field{"baseline": KindBaseline, "turbofan": KindTurboFan, "regexp": KindRegexp,
		"maglev": KindMaglev}
	for object, kind := range kinds {
		if !regexp.MustCompile(`(?i)kind(?:: | = )` + object).MatchString(texts[object]) {
			if object == "maglev" { // not built into Node 22 and before
				continue
			}
			t.Fatalf("%s code is of another kind: %.300s", object, texts[object])
		}
		flags := i32(printer{t, mem, address(t, texts[object]) + int64(l.At(CodeFlags))})
		if got := int(flags) & l.At(CodeFlagsKindMask); got != l.At(kind) {
			t.Errorf("%s code has kind %d, layout has %d", object, got, l.At(kind))
		}
	}
	types := map[string]Field{"function": TypeJSFunctionFirst, "map": TypeMap, "shared": TypeSharedFunctionInfo,
		"script": TypeScript,
		"scope":  TypeScopeInfo, "bytecode": TypeBytecodeArray, "baseline": TypeCode, "js map": TypeJSMap,
		"symbol": TypeSymbol,
		"object": TypeJSObject}
	for object, typ := range types {
		m := pointer(printer{t, mem, address(t, texts[object])}) - 1
		if got := u16(printer{t, mem, m + int64(l.At(MapInstanceType))}); got != l.Values[typ].N {
			t.Errorf("%s has instance type %d, layout has %d", object, got, l.At(typ))
		}
	}
}

// checkStream goes from a Code's first instruction back to its InstructionStream, and from there to the Code.
func checkStream(t *testing.T, l *Layout, mem *os.File, text string) {
	t.Helper()
	if l.Values[InstructionStreamCode].State == Absent {
		checkInstructions(t, l, mem, text)
		return
	}
	stream := said(t, text, "instruction_stream") - 1
	if got := stream + int64(l.At(InstructionStreamBody)); got != said(t, text,
		"(?:instruction_start|code_entry_point)") {
		t.Errorf("instructions at %#x, V8 prints %#x", got, said(t, text, "(?:instruction_start|code_entry_point)"))
	}
	if got := pointer(printer{t, mem, stream + int64(l.At(InstructionStreamCode))}) - 1; got != address(t, text) {
		t.Errorf("the stream's Code is %#x, V8 prints %#x", got, address(t, text))
	}
}

// checkInstructions looks where V8 lists the instructions of a Code that has them in itself.
func checkInstructions(t *testing.T, l *Layout, mem *os.File, text string) {
	t.Helper()
	m := regexp.MustCompile(`Instructions \(size = ([0-9]+)\)\n(0x[0-9a-f]+) +0 `).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no instructions in %.600s", text)
	}
	at := address(t, text)
	if got := at + int64(l.At(InstructionStreamBody)); got != parse(t, m[2]) {
		t.Errorf("instructions at %#x, V8 lists them at %s", got, m[2])
	}
	if got := i32(printer{t, mem, at + int64(l.At(CodeInstructionSize))}); got != parse(t, m[1]) {
		t.Errorf("%d bytes of instructions, V8 says %s", got, m[1])
	}
}

func checkPropertyArray(t *testing.T, l *Layout, mem *os.File, text string) {
	t.Helper()
	array := said(t, text, "properties") - 1
	lengthAndHash := smi(printer{t, mem, array + int64(l.At(PropertyArrayLengthAndHash))})
	if got := lengthAndHash >> l.At(PropertyArrayHashShift); got != said(t, text, "hash") {
		t.Errorf("identity hash %d, V8 prints %d", got, said(t, text, "hash"))
	}
	if got := smi(printer{t, mem, array + int64(l.At(PropertyArrayData))}); got != 4 { // p0 to p3 are in the object
		t.Errorf("first element of the property array is %d, not 4", got)
	}
}

// bytecodeLine is a line of a bytecode listing: address, offset, and the opcode as the first of the bytes.
var bytecodeLine = regexp.MustCompile(`(0x[0-9a-f]+) @ +(\d+) : ([0-9a-f]{2}) `)

// checkBytecode compares the first bytecode's address and each bytecode's size with V8's listing.
func checkBytecode(t *testing.T, l *Layout, text string) {
	t.Helper()
	lines := bytecodeLine.FindAllStringSubmatch(text, -1)
	if len(lines) < 3 {
		t.Fatalf("no bytecode in %s", text)
	}
	if got := address(t, text) + int64(l.At(BytecodeArrayFirstByte)); got != parse(t, lines[0][1]) {
		t.Errorf("first bytecode at %#x, V8 prints %s", got, lines[0][1])
	}
	for i, line := range lines[1:] {
		opcode := parse(t, "0x"+lines[i][3])
		if got, want := int64(l.BytecodeSizes[opcode]), parse(t, line[2])-parse(t, lines[i][2]); got != want {
			t.Errorf("bytecode %#x has %d bytes, V8's listing says %d", opcode, got, want)
		}
	}
}
