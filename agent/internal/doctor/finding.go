package doctor

// Mark is the severity of a finding.
type Mark uint8

// The marks. Only Missing makes sampling impossible.
const (
	OK Mark = iota
	Warning
	Missing
)

// String returns ok, warning or missing.
func (m Mark) String() string { return [...]string{"ok", "warning", "missing"}[m] }

// MarshalText implements encoding.TextMarshaler, with String.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Finding is the result of checking one requirement of sampling.
type Finding struct {
	Mark  Mark   `json:"mark"`
	What  string `json:"what"`
	Found string `json:"found"`         // a phrase
	Fix   string `json:"fix,omitempty"` // the command that fixes it; empty if there is none
}
