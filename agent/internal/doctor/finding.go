package doctor

// Mark is the severity of a finding.
type Mark uint8

// The marks. Only Missing makes sampling impossible.
const (
	OK Mark = iota
	Warning
	Missing
)

// Finding is the result of checking one requirement of sampling.
type Finding struct {
	Mark  Mark
	What  string
	Found string // a phrase
	Fix   string // the command that fixes it; empty if there is none
}
