package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
)

// maxStoreProperties bounds the property names that are kept to be shown.
const maxStoreProperties = 64

// StoreProperties are names of properties that stores of a process have, at most 64, in the order in which they were
// found. They help a user whose rule never makes a label. One goroutine at a time may use them.
type StoreProperties []string

// Add adds the names of the properties that stores of a hidden class have. The error says why the memory cannot be read
// as a hidden class; nothing is read once there are 64 names.
func (s *StoreProperties) Add(r *heap.Reader, hiddenClass heap.Word) error {
	if len(*s) == maxStoreProperties {
		return nil
	}
	shape, err := r.Shape(hiddenClass)
	if err != nil {
		return err
	}
	for _, p := range shape.Properties {
		if !p.Symbol && len(*s) < maxStoreProperties && !slices.Contains(*s, p.Name) {
			*s = append(*s, p.Name)
		}
	}
	return nil
}
