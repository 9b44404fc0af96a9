package elffile

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/blocks"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/v8/layout"
)

// The parts of contents on disk: all that is small, and the tables.
const (
	partSmall = iota
	partSymbols
	partKept
	partRows
	numParts
)

// maxSmall bounds the first part, in bytes. That of a Node.js has 30 kB.
const maxSmall = 8 << 20

// errStored says that what is on disk is not what encode has made.
var errStored = errors.New("stored file: damaged")

// encode returns the parts of contents that were just parsed.
func (c *contents) encode() [][]byte {
	b := c.id.append(nil)
	b = appendBytes(b, []byte(c.buildID))
	b = binary.AppendUvarint(b, uint64(len(c.segments)))
	for _, s := range c.segments {
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, s.Offset), s.Size), s.Address)
		b = appendBool(b, s.Exec)
	}
	b = binary.AppendUvarint(b, uint64(len(c.problems)))
	for _, p := range c.problems {
		b = appendBytes(appendBytes(b, []byte(p.what)), []byte(p.err.Error()))
	}
	if b = appendBool(b, c.layout != nil); c.layout != nil {
		encoded, _ := c.layout.AppendBinary(nil) // it has no error
		b = appendBytes(b, encoded)
	}
	if b = appendBool(b, c.threadLocals != nil); c.threadLocals != nil {
		b = appendBytes(b, c.threadLocals.Append(nil))
	}
	if b = appendBool(b, c.pool != nil); c.pool != nil {
		b = appendPool(b, c.pool)
	}
	parts := make([][]byte, numParts)
	if b = appendBool(b, c.rules != nil); c.rules != nil {
		b = binary.AppendUvarint(binary.AppendUvarint(b, c.rules.Base), uint64(c.rules.Unsupported))
		parts[partKept], parts[partRows] = c.rules.EncodedKept(), c.rules.AppendRows(nil)
	}
	if b = appendBool(b, c.symbols != nil); c.symbols != nil {
		parts[partSymbols] = c.symbols.Encoded()
	}
	parts[partSmall] = b
	return parts
}

func appendBytes(b, s []byte) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func (id *identity) append(b []byte) []byte {
	b = id.file.append(b)
	if b = appendBool(b, id.debug != nil); id.debug != nil {
		b = id.debug.append(b)
	}
	return b
}

func (fp *fingerprint) append(b []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(fp.size)), uint64(len(fp.pieces)))
	for _, r := range fp.pieces {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.first)), uint64(r.count))
	}
	b = append(b, fp.hash[:]...)
	of := fp.of.stamp
	for _, n := range []int64{int64(fp.of.device), int64(of.inode), of.size, of.written.Nano(), of.made.Nano()} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func appendPool(b []byte, p *uvpool.Pool) []byte {
	b = binary.AppendVarint(binary.AppendUvarint(append(b, p.Register), p.Return), int64(p.Offset))
	for _, at := range p.Functions {
		b = binary.AppendUvarint(b, at)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, p.NodeWork), uint64(len(p.Calls)))
	for _, at := range p.Calls {
		b = binary.AppendUvarint(b, at)
	}
	return b
}

// decode makes contents of the parts, of which it reads the first one and indices now. It keeps the parts.
func decode(parts []*io.SectionReader) (*contents, error) {
	if len(parts) != numParts || parts[partSmall].Size() > maxSmall {
		return nil, errStored
	}
	small, err := io.ReadAll(parts[partSmall])
	if err != nil {
		return nil, err
	}
	r := blocks.NewRecords(small)
	c := &contents{id: decodeIdentity(&r), buildID: string(r.Bytes(r.Number()))}
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		s := symbols.Segment{Offset: r.Number(), Size: r.Number(), Address: r.Number(), Exec: present(&r)}
		c.segments = append(c.segments, s)
	}
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		what := string(r.Bytes(r.Number()))
		c.note(what, errors.New(string(r.Bytes(r.Number()))))
	}
	if err := c.decodeParsed(&r, parts); err != nil {
		return nil, err
	}
	if r.Cut() || r.Left() > 0 || c.id == nil {
		return nil, errStored
	}
	return c, nil
}

func (c *contents) decodeParsed(r *blocks.Records, parts []*io.SectionReader) (err error) {
	if present(r) {
		c.layout = new(layout.Layout)
		if err := c.layout.UnmarshalBinary(r.Bytes(r.Number())); err != nil {
			return err
		}
	}
	if present(r) {
		if c.threadLocals, err = threadlocal.Decode(r.Bytes(r.Number())); err != nil {
			return err
		}
	}
	if present(r) {
		c.pool = decodePool(r)
	}
	if present(r) {
		stored := unwind.Stored{Base: r.Number(), Unsupported: int(r.Number())}
		stored.Rows, stored.Kept = parts[partRows], parts[partKept]
		if c.rules, err = stored.Table(); err != nil {
			return err
		}
	}
	if present(r) {
		c.symbols, err = symbols.Decode(parts[partSymbols], parts[partSymbols].Size())
	}
	return err
}

func present(r *blocks.Records) bool { return r.Number() == 1 }

func decodeIdentity(r *blocks.Records) *identity {
	file := decodeFingerprint(r)
	if file == nil {
		return nil
	}
	id := &identity{file: *file}
	if present(r) {
		if id.debug = decodeFingerprint(r); id.debug == nil {
			return nil
		}
	}
	return id
}

// decodeFingerprint is nil for one of more bytes than are read of any file.
func decodeFingerprint(r *blocks.Records) *fingerprint {
	fp := &fingerprint{size: int64(r.Number())}
	left := uint64(limits.One / pieceSize)
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		first, count := r.Number(), r.Number()
		if first > maxFile/pieceSize || count > left {
			return nil
		}
		left -= count
		fp.pieces = append(fp.pieces, run{uint32(first), uint32(count)})
	}
	if copy(fp.hash[:], r.Bytes(sha256.Size)) < sha256.Size || fp.size < 0 || fp.size > maxFile {
		return nil
	}
	fp.of.device, fp.of.stamp = uint64(r.Signed()), stamp{
		inode: uint64(r.Signed()), size: r.Signed(),
		written: unix.NsecToTimespec(r.Signed()), made: unix.NsecToTimespec(r.Signed()),
	}
	return fp
}

func decodePool(r *blocks.Records) *uvpool.Pool {
	p := &uvpool.Pool{Register: uint8(r.Number()), Return: r.Number(), Offset: int32(r.Signed())}
	for i := range p.Functions {
		p.Functions[i] = r.Number()
	}
	p.NodeWork = r.Number()
	for n := r.Number(); n > 0 && !r.Cut(); n-- {
		p.Calls = append(p.Calls, r.Number())
	}
	return p
}
