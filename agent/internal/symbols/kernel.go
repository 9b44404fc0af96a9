package symbols

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
	if err != nil {
		return nil, fmt.Errorf("read kernel symbols: %w", err)
	}
	return t, nil
}

// kernelLine splits "ffffffffc0a01000 t nf_hook\t[nf_tables]". The name may contain the module.
func kernelLine(line []byte) (addr uint64, kind byte, name []byte, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) < 3 || len(fields) > 4 || len(fields[1]) != 1 {
		return 0, 0, nil, false
	}
	addr, err := strconv.ParseUint(string(fields[0]), 16, 64)
	return addr, fields[1][0], bytes.Join(fields[2:], []byte(" ")), err == nil
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
