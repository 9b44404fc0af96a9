package uvpool

import "testing"

// FuzzFindCall: whatever code a file has for libuv's worker(), the call that is found is in it.
func FuzzFindCall(f *testing.F) {
	f.Add([]byte{0xff, 0x53, 0xe8, 0xc3})                   // call *-0x18(%rbx); ret
	f.Add([]byte{0x90, 0x41, 0xff, 0x54, 0x24, 0x10})       // nop; call *0x10(%r12)
	f.Add([]byte{0xff, 0x93, 0, 0, 0, 0x70, 0xc3})          // too far
	f.Add([]byte{0xff, 0x50, 8, 0xff, 0x13})                // by another register
	f.Add([]byte{0x65, 0xff, 0x53, 8, 0xff, 0x14, 0xc3, 0}) // with a segment; with an index
	f.Fuzz(func(t *testing.T, code []byte) {
		const at = 0x1000
		var p Pool
		if err := p.findCall(code, at); err != nil {
			return
		}
		if p.Return <= at || p.Return > at+uint64(len(code)) || p.Register == 0 || p.Offset < -1024 ||
			p.Offset > 1024 {
			t.Errorf("%+v in %d bytes", p, len(code))
		}
	})
}
