package doctor

// Mark says how good or bad a finding is.
type Mark uint8

// The marks. Only Missing makes sampling impossible.
const (
	OK Mark = iota
	Warning
	Missing
)

// Finding is one thing that sampling depends on.
type Finding struct {
	Mark  Mark
	What  string
	Found string // a phrase
	Fix   string // the command that fixes it, where one does
}
