package space

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Class is a hidden class, with what tells its objects apart from what follows them.
type Class struct {
	Address heap.Word
	Type    int    // instance type of its objects
	Name    string // that V8 gives the instance type; where it gives none: array, or a number

	free    bool    // what has it is no object, but room between objects
	size    uint64  // of each object, in bytes; 0: of each another
	measure measure // that tells it; nil: nothing does but the next object
	tagged  uint64  // how many of the first bytes may refer to objects
}

// maxClasses bounds the words of which is remembered which hidden class they are, or that they are none.
const maxClasses = 1 << 20

// classes are the hidden classes of a process.
type classes struct {
	*Heap
	named map[string]measure
	unit  uint64 // of the sizes of free room, in bytes; 0: it is not known yet
	known map[heap.Word]*Class
	last  *Class
}

func (h *Heap) newClasses() *classes {
	return &classes{Heap: h, named: namedMeasures(h.l), known: map[heap.Word]*Class{}}
}

// find returns the hidden class that a word refers to, or nil.
func (c *classes) find(w heap.Word) *Class {
	if c.last != nil && c.last.Address == w {
		return c.last
	}
	if !w.IsObject() || w%word != 1 || w>>addressBits != 0 {
		return nil
	}
	class, ok := c.known[w]
	if !ok {
		class = c.read(w)
		if len(c.known) >= maxClasses {
			clear(c.known)
		}
		c.known[w] = class
	}
	if class != nil {
		c.last = class
	}
	return class
}

// read reads a hidden class. The hidden class of hidden classes is its own.
func (c *classes) read(w heap.Word) *Class {
	meta, err := c.r.WordAt(uint64(w) - 1)
	if err != nil || !meta.IsObject() || meta>>addressBits != 0 {
		return nil
	}
	if again, err := c.r.WordAt(uint64(meta) - 1); err != nil || again != meta {
		return nil
	}
	if typ, err := c.r.TypeOf(meta); err != nil || typ != c.l.At(layout.TypeMap) {
		return nil
	}
	size, err := c.r.Bytes(uint64(w)-1+uint64(max(0, c.l.At(layout.MapInstanceSizeInWords))), 1)
	if err != nil {
		return nil
	}
	typ, err := c.r.TypeOf(w)
	if err != nil {
		return nil
	}
	out := &Class{Address: w, Type: typ, Name: c.types[typ], size: word * uint64(size[0])}
	// The three types follow each other: FeedbackMetadata, FeedbackVector, Filler, FreeSpace. Some have no names.
	filler := c.types[typ-1] == "FeedbackVector"
	space := c.types[typ-2] == "FeedbackVector"
	out.free = filler || space
	if out.size == 0 {
		out.measure = c.measureOf(out, space)
	}
	out.tagged = c.taggedOf(out)
	if out.Name == "" {
		out.Name = c.nameOf(out)
	}
	return out
}

// unnamedArray is the name of arrays to which V8 gives none.
const unnamedArray = "array"

// nameOf names what V8 gives no name. Contexts and hash tables are arrays.
func (c *classes) nameOf(class *Class) string {
	switch {
	case class.Type == c.l.At(layout.TypeBigInt):
		return "BigInt"
	case c.types[class.Type+1] == "FeedbackVector":
		return "FeedbackMetadata"
	case class.size == 0 && class.Type >= c.l.At(layout.FirstNonStringType):
		return unnamedArray
	}
	return fmt.Sprintf("instance type %d", class.Type)
}

// measureFields are what measures need.
var measureFields = []layout.Field{
	layout.SeqStringChars, layout.StringLength, layout.InstructionStreamBody, layout.CodeInstructionSize,
	layout.DescriptorsHeader, layout.DescriptorsEntrySize, layout.BytecodeArrayFirstByte,
}

// measureOf returns the measure of a class, or nil if none is known.
func (c *classes) measureOf(class *Class, space bool) measure {
	switch {
	case c.l.Require(measureFields...) != nil:
		return nil
	case class.Type < c.l.At(layout.FirstNonStringType):
		if class.Type&c.l.At(layout.StringOneByteBit) != 0 {
			return text(c.l, 1)
		}
		return text(c.l, 2)
	case class.Type == c.l.At(layout.TypeBigInt): // (src/objects/bigint.h: the sign, then the number of digits)
		return func(b []byte) uint64 { return 16 + word*(u32(b, 8)>>1&(1<<30-1)) }
	case class.Type == c.l.At(layout.TypeScopeInfo), class.Name == "SwissNameDictionary":
		return nil
	case c.named[class.Name] != nil:
		return c.named[class.Name]
	case c.types[class.Type+1] == "FeedbackVector":
		return metadata(c.l.V8)
	case space:
		return smi
	case class.Type == c.l.At(layout.TypeInstructionStream):
		return code(c.l, c.r)
	}
	return counted(16, word)
}

// raw are classes of objects that refer to none.
var raw = map[string]bool{"ByteArray": true, "TrustedByteArray": true, "FixedDoubleArray": true}

// taggedOf is how much of an object may refer to others.
func (c *classes) taggedOf(class *Class) uint64 {
	l := c.l
	switch representation := class.Type & l.At(layout.StringRepresentationMask); {
	case raw[class.Name], class.free, c.types[class.Type+1] == "FeedbackVector",
		class.Type == l.At(layout.TypeHeapNumber), class.Type == l.At(layout.TypeBigInt):
		return word
	case class.Type < l.At(layout.FirstNonStringType) &&
		(representation == l.At(layout.SeqStringTag) || representation == l.At(layout.ExternalStringTag)):
		return word
	case class.Type == l.At(layout.TypeBytecodeArray):
		return uint64(max(0, l.At(layout.BytecodeArrayFirstByte)))
	case class.Type == l.At(layout.TypeInstructionStream):
		return uint64(max(0, l.At(layout.InstructionStreamBody)))
	}
	return ^uint64(0)
}
