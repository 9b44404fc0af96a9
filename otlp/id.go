package otlp

import (
	"crypto/sha256"
	"encoding/binary"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// id returns the ID of a profile, 16 bytes, by which a receiver may recognise one that it gets twice. It is made of the
// resource, the interval, the losses, and thread, CPU and time of each sample: the same samples have the same ID
// whenever they are encoded, and a snapshot that is split has IDs of its own.
func (e *encoder) id(resource []*commonpb.KeyValue, rows []int32) []byte {
	s := e.snapshot
	h := sha256.New()
	number := func(n int64) { _ = binary.Write(h, binary.LittleEndian, n) } // a hash takes all
	for _, n := range []int64{s.Start, s.End, s.Period, int64(len(rows))} {
		number(n)
	}
	for _, a := range resource {
		h.Write([]byte(a.Key + "\x00" + a.Value.GetStringValue() + "\x00"))
		number(a.Value.GetIntValue())
	}
	for _, reason := range s.LostReasons() {
		h.Write([]byte(reason.String()))
		number(s.Lost[reason])
	}
	var sum uint64 // of hashes: rows of one time have no order
	for _, i := range rows {
		r := &s.Rows[i]
		sum += mix(mix(mix(uint64(r.Time))+uint64(r.TID)) + uint64(r.CPU))
	}
	number(int64(sum))
	return h.Sum(nil)[:16]
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
