package walk

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/layout"
	memory "github.com/hotspan/hotspan/v8/target"
)

// mostReads bounds what the BPF program reads for one sample's context: at each of its steps no more than some words.
// What the walk reads comes on top.
const mostReads = 16 * bpf.MaxContextSteps

// TestHostileContext gives the context reader memory in which words of the heap are others: pointers that lead to other
// objects and into cycles, numbers that are too large, tables whose parts do not fit, pages that are gone. It must end
// within a fixed number of reads, with a record that is whole.
func TestHostileContext(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		k.hostileRules(t)
		whole := k.sample(t, r.Pages)
		words := k.heapWords(r, whole)
		random := rand.New(rand.NewPCG(1, 2))
		most, unreadable := 0, 0
		for range 150 {
			s := k.once(t, damaged(random, r.Pages, words))
			most = max(most, len(s.reads))
			if s.flags.Unreadable {
				unreadable++
			}
			if len(s.reads) > mostReads+len(whole.reads) {
				t.Fatalf("%d reads", len(s.reads))
			}
		}
		t.Logf("whole memory: %d reads; damaged: at most %d, %d times unreadable", len(whole.reads), most, unreadable)
	})
}

// hostileRules are rules of each kind, at several depths, so that they read the damaged objects in many ways.
func (k *kernelWalk) hostileRules(t *testing.T) {
	var rules []reqctx.Rule
	for _, s := range []string{
		`a=als("request").route`, "b=user.id", "c=user", "d=user.id.x", `e=get("user")`, `f=get("user").get("id")`,
		"g=user[0]", `h=get(Symbol("x")).y`,
		"i=user.route.user.route.user", `j=store["user"].get(Symbol.for("x"))[3].z`,
	} {
		r, err := reqctx.ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	tree, err := reqctx.NewTree(reqctx.Kinds{Trace: true, Route: true, Custom: true, Root: true}.Rules(rules))
	if err != nil {
		t.Fatal(err)
	}
	k.useTree(tree)
}

// damaged is a copy of memory in which some of these words are others of them, or any number, and one time in eight a
// page is gone.
func damaged(random *rand.Rand, pages map[uint64][]byte, words []uint64) map[uint64][]byte {
	out := maps.Clone(pages)
	any := func() uint64 { return words[random.IntN(len(words))] }
	word := func(at uint64) []byte { return out[at&^0xfff][at&0xfff:][:8] }
	for range 1 + random.IntN(8) {
		at := any()
		out[at&^0xfff] = slices.Clone(out[at&^0xfff])
		switch to := word(at); random.IntN(8) {
		case 0:
			binary.LittleEndian.PutUint64(to, random.Uint64())
		case 1: // a Smi, small or of any size
			binary.LittleEndian.PutUint64(to, random.Uint64()>>random.IntN(32)<<32)
		case 2: // a pointer to an object that is read
			binary.LittleEndian.PutUint64(to, any()+1)
		default:
			copy(to, word(any()))
		}
	}
	if random.IntN(8) == 0 {
		delete(out, any()&^0xfff)
	}
	return out
}

// TestMostReads: a Map that is its own value under each key, and rules that look for keys which it has not, at each of
// many levels. The reader gives up after bpf.MaxContextSteps, and says so.
func TestMostReads(t *testing.T) {
	p := bpftest.Load(t)
	th, _ := recorded(t, "24.21.0")
	var rules []reqctx.Rule
	deep := ""
	for level := range 20 {
		for i := range 2 {
			r, err := reqctx.ParseRule(fmt.Sprintf(`l%d-%d=%sget("x%d")`, level, i, deep, i))
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, r)
		}
		deep += `get("aa").`
	}
	tree, err := reqctx.NewTree(rules)
	if err != nil {
		t.Fatal(err)
	}
	k := &kernelWalk{program: p, thread: th, sampler: sampler.New(&p.Objects)}
	k.useTree(tree)
	const page = 0x10_0000_0000
	out, err := p.Run(bpftest.Input{
		PID: walkPID, Process: k.config, Registers: th.regs, Isolate: page,
		Pages: []bpftest.Page{{Addr: page, Data: cyclicMap(page, th.layout)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sampler.DecodeSample(out.Record)
	if err != nil {
		t.Fatal(err)
	}
	read, flags := k.labels.Decode(&s)
	t.Logf("%d reads", out.NReads)
	if out.NReads < bpf.MaxContextSteps || out.NReads > mostReads || !flags.Unreadable || len(read) > 0 {
		t.Errorf("%d reads, labels %v, unreadable %v", out.NReads, read, flags.Unreadable)
	}
}

// cyclicMap is a page with an isolate whose AsyncContextFrame is a JSMap of 32 entries, of which each has the key "aa"
// and, as value, that Map.
func cyclicMap(page uint64, l *layout.Layout) []byte {
	b := make([]byte, 4096)
	put := func(at int, w uint64) { binary.LittleEndian.PutUint64(b[at:], w) }
	smi := func(n uint64) uint64 { return n << 32 }
	const mapClass, stringClass, jsMap, text, table = 0x400, 0x440, 0x480, 0x4c0, 0x500
	put(l.At(layout.IsolateCPED), page+jsMap+1)
	put(mapClass, page+mapClass+1)
	binary.LittleEndian.PutUint16(b[mapClass+l.At(layout.MapInstanceType):], uint16(l.At(layout.TypeJSMap)))
	binary.LittleEndian.PutUint32(b[mapClass+l.At(layout.MapBitField3):], 1<<l.At(layout.BitField3DictionaryMapBit))
	put(stringClass, page+mapClass+1)
	binary.LittleEndian.PutUint16(b[stringClass+l.At(layout.MapInstanceType):], uint16(l.At(layout.StringOneByteBit)))
	put(jsMap, page+mapClass+1)
	put(jsMap+l.At(layout.JSMapTable), page+table+1)
	put(text, page+stringClass+1)
	binary.LittleEndian.PutUint32(b[text+l.At(layout.NameHash):], 7<<2)
	binary.LittleEndian.PutUint32(b[text+l.At(layout.StringLength):], 2)
	copy(b[text+l.At(layout.SeqStringChars):], "aa")
	put(table, page+mapClass+1)
	data := table + l.At(layout.FixedArrayData)
	for i, n := range []uint64{32, 0, 16} { // elements, deleted ones, buckets
		put(data+8*i, smi(n))
	}
	for i := range 32 {
		entry := data + 8*(3+16) + 24*i
		put(entry, page+text+1)
		put(entry+8, page+jsMap+1)
		put(entry+16, smi(uint64(i))) // the next of the bucket is the entry itself
	}
	return b
}
