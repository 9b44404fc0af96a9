package layout

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Write prints the layout as a table of field, value and origin, the same bytes for the same binary.
func (l *Layout) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range l.lines() {
		if _, err := fmt.Fprintln(tw, line); err != nil {
			return err
		}
	}
	return tw.Flush()
}

func (l *Layout) lines() []string {
	out := []string{
		"node\t" + orUnknown(l.Node),
		"v8\t" + l.V8.String(),
		"build-id\t" + orUnknown(l.BuildID),
		fmt.Sprintf("builtins\t%#x-%#x\tfile offset %#x", l.Builtins.Start, l.Builtins.End, l.Builtins.FileOffset),
		fmt.Sprintf("bytecodes\t%d", len(l.BytecodeSizes)/3),
		fmt.Sprintf("translation opcodes\t%d", len(l.TranslationOperands)),
		fmt.Sprintf("wasm state\t%#x", l.WasmState),
	}
	if l.IsolateIndex != 0 {
		out = append(out, fmt.Sprintf("isolate index\t%#x", l.IsolateIndex))
	}
	for f := range NumFields {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s\t%s\t%s", f, l.Values[f], l.Values[f].Origin), "\t"))
	}
	for _, n := range l.Notes {
		out = append(out, "note: "+n)
	}
	return out
}

// String returns the number, "absent" or "unknown".
func (v Value) String() string {
	switch v.State {
	case Known:
		return number(v.N)
	case Absent:
		return "absent"
	}
	return "unknown"
}

// number writes small numbers as V8's sources do and the others as machine code does.
func number(n int64) string {
	if n < -0x40 || n >= 0x100 {
		return fmt.Sprintf("%d (%#x)", n, n)
	}
	return fmt.Sprint(n)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
