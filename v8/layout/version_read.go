package layout

import (
	"bytes"
	"cmp"
	"fmt"
)

// maxVersionText bounds what is read around a hit of the version scan. V8 13.6's is 19 bytes.
const maxVersionText = 48

// maxScan bounds the bytes in which version texts are looked for. Node 26's read-only data has 56 MiB.
const maxScan = 256 << 20

// The texts that stand in every Node binary, stripped or not: V8's version with Node's suffix
// (src/execution/version.cc, a whole C string, so that versions in code caches and in documentation are not taken),
// Node's own name in its inspector's answers (src/inspector_socket_server.cc), and the URL of a release
// (src/node_metadata.cc).
var versionTexts = [][]byte{[]byte("-node."), []byte("node.js/v"), []byte("/download/release/v")}

// versions returns those of V8 and of Node.js. Variables have them where the file names its variables: then 12 MB of
// read-only data need not be searched, as in Node 24.
func (im *image) versions() (v8 Version, node string) {
	v8, node = im.symbolVersion(), im.symbolNodeVersion()
	if v8 != (Version{}) && node != "" {
		return v8, node
	}
	textV8, textNode := im.scanVersions()
	return cmp.Or(v8, textV8), cmp.Or(node, textNode)
}

// scanVersions looks for the version texts in read-only data, and stops when it has both versions.
func (im *image) scanVersions() (v8 Version, node string) {
	left := int64(maxScan)
	for _, p := range im.readOnly() {
		if v8 != (Version{}) && node != "" {
			break
		}
		size := min(p.size, left)
		left -= size
		scan(im.r, piece{p.off, size}, versionTexts, func(needle int, at int64) bool {
			if needle == 0 && v8 == (Version{}) {
				v8 = im.v8VersionAt(at)
			} else if needle > 0 && node == "" {
				node = im.nodeVersionAt(at + int64(len(versionTexts[needle])))
			}
			return v8 == (Version{}) || node == ""
		})
	}
	return v8, node
}

// v8VersionAt reads "\x00MAJOR.MINOR.BUILD.PATCH-node.N\x00" around the "-node." at a file offset.
func (im *image) v8VersionAt(at int64) Version {
	from := max(0, at-maxVersionText)
	b := im.upTo(from, 2*maxVersionText)
	k := int(at - from)
	if k > len(b) {
		return Version{}
	}
	start := bytes.LastIndexByte(b[:k], 0) + 1
	end := bytes.IndexByte(b[k:], 0)
	if start == 0 || end < 0 {
		return Version{}
	}
	n, ok := dotted(b[start:k], 4)
	if _, digits := dotted(b[k+len("-node."):k+end], 1); !ok || !digits {
		return Version{}
	}
	return Version{n[0], n[1], n[2], n[3]}
}

func (im *image) nodeVersionAt(at int64) string {
	b := im.upTo(at, maxVersionText)
	n := bytes.IndexFunc(b, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if n < 0 {
		return ""
	}
	if _, ok := dotted(b[:n], 3); !ok {
		return ""
	}
	return string(b[:n])
}

// symbolVersion reads V8's version from the integers of v8::internal::Version, which builds with another suffix than
// Node's have, too.
func (im *image) symbolVersion() Version {
	var n [4]int
	for i, name := range versionSymbols {
		v, ok := im.versionNumber(name, 0)
		if !ok {
			return Version{}
		}
		n[i] = v
	}
	return Version{n[0], n[1], n[2], n[3]}
}

// symbolNodeVersion reads Node's version from what napi_get_node_version returns.
func (im *image) symbolNodeVersion() string {
	var n [3]int
	for i := range n {
		v, ok := im.versionNumber(symNodeVersion, i)
		if !ok {
			return ""
		}
		n[i] = v
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2])
}

// versionNumber reads one of the integers at a symbol.
func (im *image) versionNumber(symbol string, i int) (int, bool) {
	s, ok := im.syms[symbol]
	if !ok {
		return 0, false
	}
	v, err := im.i32(s.value + 4*uint64(i))
	return int(v), err == nil && v >= 0 && v <= maxVersionNumber
}

var versionSymbols = []string{
	"_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E",
	"_ZN2v88internal7Version6build_E", "_ZN2v88internal7Version6patch_E",
}

// symNodeVersion is a static napi_node_version in a function: its first members are the three numbers.
// (node: src/node_api.cc, src/node_api_types.h)
const symNodeVersion = "_ZZ21napi_get_node_versionE7version"
