package bpf

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// Hash identifies the embedded BPF object: the first 12 hexadecimal digits of its SHA-256. It is safe for concurrent
// use.
func Hash() string { return hash() }

var hash = sync.OnceValue(func() string {
	file, err := object()
	if err != nil {
		panic(err) // the build is broken, see TestObject
	}
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:6])
})
