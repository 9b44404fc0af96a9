package inspect

import "github.com/hotspan/hotspan/agent/internal/inspect"

// lacking says in JSON what a warning says, too: how many bytes of memory a core lacks that was cut off.
type lacking struct {
	Missing uint64 `json:"missing,omitempty"`
}

func lackingOf(s *inspect.Subject) lacking { return lacking{s.Missing} }
