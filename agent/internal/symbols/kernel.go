package symbols

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	// maxKernelText bounds /proc/kallsyms, in bytes. It has a few MB, 20 MB with many modules.
	maxKernelText = 256 << 20
	// maxKernelLine bounds one line of it: KSYM_NAME_LEN is 512, a module's name has 64 bytes at most.
	maxKernelLine = 4096
)

// ErrHidden is the error of Kernel if the kernel shows this user no addresses.
var ErrHidden = errors.New("all addresses are 0: the kernel hides them from this user; " +
	"run with CAP_SYSLOG (setcap cap_syslog+ep), and with `sysctl kernel.kptr_restrict=1` if it is 2")

// Kernel reads the code symbols of the running kernel in the format of /proc/kallsyms: address, type, name and [module]
// on each line. A module's symbol is named "function [module]". The error is ErrHidden or ErrNoSymbols, or of r.
func Kernel(r io.Reader) (*Table, error) {
	var b builder
	shown := false
	lines := bufio.NewScanner(io.LimitReader(r, maxKernelText))
	lines.Buffer(nil, maxKernelLine)
	for n := 1; lines.Scan(); n++ {
		addr, kind, name, ok := kernelLine(lines.Bytes())
		if !ok {
			return nil, fmt.Errorf("read kernel symbols: line %d is %.60q, want address, type and name", n,
				lines.Bytes())
		}
		shown = shown || addr != 0
		if rank, ok := kernelRank(kind); ok {
			b.all = append(b.all, candidate{
				start: addr, limit: math.MaxUint64, name: uint32(len(b.names[0])), rank: rank,
			})
			b.names[0] = append(append(b.names[0], name...), 0)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read kernel symbols: %w", err)
	}
	if !shown && len(b.all) > 0 {
		return nil, fmt.Errorf("read kernel symbols: %w", ErrHidden)
	}
	t, err := b.table()
	if err == nil {
		err = t.Pack()
	}
	if err != nil {
		return nil, fmt.Errorf("read kernel symbols: %w", err)
	}
	return t, nil
}

// kernelLine splits "ffffffffc0a01000 t nf_hook\t[nf_tables]". The name may contain the module. It allocates nothing:
// there are some hundred thousand lines.
func kernelLine(line []byte) (addr uint64, kind byte, name []byte, ok bool) {
	digits, rest, ok1 := bytes.Cut(line, []byte(" "))
	letter, name, ok2 := bytes.Cut(rest, []byte(" "))
	name = bytes.TrimSpace(name)
	if !ok1 || !ok2 || len(letter) != 1 || len(digits) == 0 || len(digits) > 16 || len(name) == 0 {
		return 0, 0, nil, false
	}
	for _, c := range digits {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c)
		if digit < 0 {
			return 0, 0, nil, false
		}
		addr = addr<<4 | uint64(digit)
	}
	if i := bytes.IndexByte(name, '\t'); i >= 0 {
		name[i] = ' '
	}
	return addr, letter[0], name, true
}

// kernelRank returns the rank of code by nm's letters: T global, t local, W and w weak. It is false for data.
func kernelRank(kind byte) (uint8, bool) {
	switch kind {
	case 'T':
		return rankGlobal, true
	case 't':
		return rankLocal, true
	case 'W', 'w':
		return rankWeak, true
	}
	return 0, false
}
