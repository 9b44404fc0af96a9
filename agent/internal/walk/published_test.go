package walk

import (
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/published"
	"github.com/hotspan/hotspan/pprofx"
)

// A process whose memory is one piece, in which nothing is where it should be.
const (
	wildAt   = 0x1230_0000_0000
	wildSize = 16 * bpftest.PageSize
	wildMap  = wildAt + 0x100 // an object that is a hidden class of Maps
	wildType = 2112
)

// maxPublishedReads bounds the reads of the BPF program for one thread-local variable: of a Node.js label set, 8 for
// where it is, 4 to the AsyncContextFrame, 8 to its bucket, 16 times 5 in it, 6 to the labels, and 3 for each of 64.
const maxPublishedReads = 8 + 4 + 8 + 16*5 + 6 + 3*64

func wildProcess() *bpf.Process {
	p := &bpf.Process{N_published: uint32(len(bpf.Process{}.Published))}
	p.V8 = bpf.V8Layout{
		Cped: 0x40, MapType: 12, JsmapTable: 24, TableData: 16, TypeMap: wildType, InternalField: 32, TypeOddball: 131,
	}
	for i := range p.Published {
		kinds := []uint32{bpf.PlaceStatic, bpf.PlaceDTVGlibc, bpf.PlaceDTVMusl}
		at := bpf.Place{Kind: kinds[i%3], Offset: int64(-8 * (i + 1)), Module: uint32(i)}
		hash := at
		hash.Offset -= 512
		p.Published[i] = bpf.Published{Kind: uint32(1 + i%4), Wrapped: int32(i%2*8 - 1), At: at, Hash: hash}
	}
	return p
}

// wildWord is a word that may be meant to lead somewhere, and does or does not.
func wildWord(r *rand.Rand) uint64 {
	inside := wildAt + uint64(r.IntN(wildSize/8))*8
	switch r.IntN(8) {
	case 0:
		return inside
	case 1, 2, 3:
		return inside | 1
	case 4:
		return wildMap | 1
	case 5:
		return uint64(r.IntN(4)) << 32 // a Smi
	case 6:
		return []uint64{0, ^uint64(0), 1 << 63, 0xffff888000000001, 0x700000000001, 1<<63 | 1<<32, 16}[r.IntN(7)]
	}
	return r.Uint64N(64)
}

func wildMemory(r *rand.Rand) []byte {
	b := make([]byte, wildSize)
	for at := 0; at < len(b); at += 8 {
		binary.LittleEndian.PutUint64(b[at:], wildWord(r))
	}
	binary.LittleEndian.PutUint64(b[wildMap-wildAt:], wildMap|1)
	binary.LittleEndian.PutUint16(b[wildMap-wildAt+12:], wildType)
	return b
}

func readWild(t *testing.T, p *bpftest.Program, config *bpf.Process, memory []byte) (sampler.Sample, int) {
	t.Helper()
	in := bpftest.Input{PID: walkPID, Process: config, Isolate: wildAt + 0x2000,
		Pages: []bpftest.Page{{Addr: wildAt, Data: memory}}}
	in.Registers.FSBase = wildAt + 0x4000
	return runWild(t, p, in)
}

// runWild takes a sample, and says how many reads that took.
func runWild(t *testing.T, p *bpftest.Program, in bpftest.Input) (sampler.Sample, int) {
	t.Helper()
	out, err := p.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sampler.DecodeSample(out.Record)
	if err != nil {
		t.Fatal(err)
	}
	return s, out.NReads
}

// decoder decodes samples of a process that publishes no process context.
func decoder(t *testing.T) *labels.Process {
	t.Helper()
	tree, err := reqctx.NewTree(reqctx.AllKinds.Rules(nil))
	if err != nil {
		t.Fatal(err)
	}
	d := labels.NewDecoder(tree, nil, slog.New(slog.DiscardHandler))
	return d.Process(&process.Process{PID: walkPID}, &bpf.Process{}, pprofx.Process{})
}

// TestPublishedReads: whatever is in the memory, the BPF program stays within its number of reads, and what it hands
// over can be decoded.
func TestPublishedReads(t *testing.T) {
	p := bpftest.Load(t)
	found, most := 0, 0
	for seed := range uint64(800) {
		s, reads := readWild(t, p, wildProcess(), wildMemory(rand.New(rand.NewPCG(seed, 1))))
		if _, flags := decoder(t).Decode(&s); flags.Present {
			found++
		}
		_ = s.ContextRecords(func(kind, _ uint8, data []byte) {
			if kind == bpf.ContextRecordOTel {
				published.DecodeRecord(data, nil)
			}
		})
		if most = max(most, reads); reads > len(wildProcess().Published)*maxPublishedReads+16 {
			t.Fatalf("seed %d: %d reads", seed, reads)
		}
	}
	t.Logf("at most %d reads; %d of 800 memories had something that looks published", most, found)
	if found == 0 {
		t.Error("no memory had anything: the test is for nothing")
	}
}

// TestPublishedTooMuch: more labels than there is room for are counted, and the sample is one all the same.
func TestPublishedTooMuch(t *testing.T) {
	config := wildProcess()
	b := make([]byte, wildSize)
	put := func(at int, words ...uint64) {
		for i, w := range words {
			binary.LittleEndian.PutUint64(b[at+8*i:], w)
		}
	}
	put(0x1000, wildAt+0x1100, 1<<63, 0) // the set; its labels behind it, of 255 bytes each
	for i := range 64 {
		put(0x1100+32*i, 255, wildAt+0x5000, 255, wildAt+0x6000)
	}
	for i := range 255 {
		b[0x5000+i], b[0x6000+i] = 'k', 'v'
	}
	for i := range config.Published {
		config.Published[i] = bpf.Published{Kind: bpf.PublishedLabels, At: bpf.Place{Kind: bpf.PlaceStatic, Offset: -8}}
	}
	put(0x4000-8, wildAt+0x1000)
	s, reads := readWild(t, bpftest.Load(t), config, b)
	s.Isolate = 0 // a thread that never runs JavaScript, whose labels count all the same
	read, flags := decoder(t).Decode(&s)
	if len(read) != 1 || len(read[0].Key) != 255 || len(read[0].Str) != 255 || !flags.OverLimit || flags.Unreadable {
		t.Errorf("%d labels, %+v", len(read), flags)
	}
	if want := 8 * (2 + 64); reads < want || len(s.Context) < 50000 {
		t.Errorf("%d reads, want more than %d; %d bytes", reads, want, len(s.Context))
	}
}
