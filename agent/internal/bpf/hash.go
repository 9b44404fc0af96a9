package bpf

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash identifies the embedded BPF object: the first 12 hexadecimal digits of its SHA-256.
func Hash() string {
	sum := sha256.Sum256(_HotspanBytes)
	return hex.EncodeToString(sum[:6])
}
