// Package probe says where the kernel is to stop a thread for a sample: it reads what the user asks for, and finds the
// place in the files that a process has mapped.
package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Spec is a probe as the user asks for it.
type Spec struct {
	Text   string // as given
	Kind   Kind
	File   string // path or base name of a mapped file; empty is the executable
	Symbol string // name of a function, where * stands for any characters and | for or, or of what Kind is
	Offset uint64 // of a uprobe: bytes from the start of the function, where an instruction begins
	Number uint32 // of a system call, on x86-64

	Provider string // of a USDT probe

	If     Condition
	Weight Weight
	Every  uint32 // hits that have a sample together, on average; 0: each has its own
}

const known = "uprobe:FILE:SYMBOL[+OFFSET] uretprobe:FILE:SYMBOL usdt:FILE:PROVIDER:NAME syscall:NAME " +
	"tp:GROUP:NAME exec file gc malloc stall[:TIME] throw"

// unknownKind says that no probe and no recipe begins so.
func unknownKind(kind string) error {
	n := near{of: kind}
	for _, form := range strings.Fields(known) {
		n.add(form[:strings.IndexAny(form+":", ":[")])
	}
	return fmt.Errorf("kind %q is unknown%s (known: %s); functions of JavaScript have no probes", kind, n.text(), known)
}

// Parse reads one of the known forms, and options behind it. The error says what is wrong with the text.
func Parse(text string) (Spec, error) {
	place, options := cutOptions(text)
	kind, rest, _ := strings.Cut(place, ":")
	s := Spec{Text: text}
	var err error
	switch kind {
	case "uprobe":
		err = s.uprobe(rest)
	case "uretprobe":
		if err = s.uprobe(rest); s.Offset > 0 {
			err = errors.New("a function is returned from as a whole: no offset")
		}
		s.Kind = Uretprobe
	case "usdt":
		err = s.usdt(rest)
	case "syscall":
		s.Kind = Syscall
		s.Number, err = number(rest)
	case "tp":
		s.Kind = Tracepoint
		s.Symbol, err = parseTracepoint(rest)
	default:
		err = unknownKind(kind)
	}
	if err == nil {
		err = s.options(options)
	}
	if err == nil && kind == "syscall" && s.result() {
		s.Kind, err = SyscallEnd, checkEnd(rest)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("probe %s: %w", text, err)
	}
	return s, nil
}

// cutOptions parts the options of a probe from what is before them. No name of a function has one of these in it.
func cutOptions(text string) (place string, options []string) {
	at := len(text)
	for _, option := range []string{",if=", ",value=", ",unit=", ",every="} {
		if i := strings.Index(text, option); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(text) {
		return text, nil
	}
	return text[:at], strings.Split(text[at+1:], ",")
}

func (s *Spec) options(all []string) (err error) {
	bytes, seen := false, map[string]bool{}
	for _, option := range all {
		key, value, _ := strings.Cut(option, "=")
		switch {
		case seen[key]:
			err = fmt.Errorf("%s= is there twice", key)
		case key == "if":
			s.If, err = parseCondition(value, s.Kind, s.Offset == 0)
		case key == "value":
			s.Weight, err = parseWeight(value, s.Kind, s.Offset == 0)
		case key == "every":
			s.Every, err = parseEvery(value)
		case option == "unit=bytes":
			bytes = true
		default:
			err = fmt.Errorf("option %q is unknown (known: if=, value=, unit=bytes, every=)", option)
		}
		if err != nil {
			return err
		}
		seen[key] = true
	}
	if bytes && s.Weight.Factors == 0 {
		return errors.New("unit=bytes: of what? value= says it")
	}
	s.Weight.Bytes = bytes
	return nil
}

// result reports whether a probe asks for what a system call returns.
func (s *Spec) result() bool {
	return s.If.Operand == bpf.OperandResult || s.Weight.First == bpf.OperandResult ||
		s.Weight.Second == bpf.OperandResult
}

func (s *Spec) uprobe(rest string) error {
	file, symbol, ok := strings.Cut(rest, ":")
	if !ok || symbol == "" {
		return fmt.Errorf("want KIND:FILE:SYMBOL, where FILE may be empty")
	}
	s.Kind, s.File, s.Symbol = Uprobe, file, symbol
	if i := strings.LastIndexByte(symbol, '+'); i > 0 && i < len(symbol)-1 { // not operator++
		offset, err := strconv.ParseUint(symbol[i+1:], 0, 32)
		if err != nil {
			return fmt.Errorf("offset %q is no number of bytes", symbol[i+1:])
		}
		s.Symbol, s.Offset = symbol[:i], offset
	}
	return nil
}

func (s *Spec) usdt(rest string) error {
	file, name, _ := strings.Cut(rest, ":")
	s.Kind, s.File = USDT, file
	s.Provider, s.Symbol, _ = strings.Cut(name, ":")
	if s.Provider == "" || s.Symbol == "" {
		return errors.New("want usdt:FILE:PROVIDER:NAME, where FILE may be empty")
	}
	return nil
}

// Arguments returns how many arguments a tracepoint must have for what a probe asks of them.
func (s *Spec) Arguments() (n int) {
	used := []uint32{s.If.Operand, s.Weight.First, s.Weight.Second}
	for i, has := range []bool{s.If.Comparison != 0, s.Weight.Factors > 0, s.Weight.Factors > 1} {
		if has {
			n = max(n, slices.Index(ofTracepoint, used[i])+1)
		}
	}
	return n
}
