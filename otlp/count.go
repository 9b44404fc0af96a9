package otlp

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Counts says what is in a message: samples that have a time, as all have that hotspan takes.
type Counts struct {
	Profiles, Samples int64
}

// Count counts what is in a marshalled message of Profiles. It is much cheaper than Decode, since it looks at no
// dictionary. The error says that the message is malformed; any bytes are safe.
func Count(message []byte) (c Counts, err error) {
	if err := c.add(message, 0); err != nil {
		return Counts{}, fmt.Errorf("otlp message: %w", err)
	}
	return c, nil
}

// The numbers of the fields that lead from a ProfilesData to the times of its samples (profiles.proto):
// resource_profiles, scope_profiles, profiles, samples, timestamps_unix_nano. The last is packed, as all encoders of
// proto3 have it, and has 8 bytes for each time.
var timesPath = [...]protowire.Number{1, 2, 2, 2, 5}

// profileLevel is how many fields have been followed to a profile.
const profileLevel = 2

// add counts what is in the message that the first fields of timesPath lead to.
func (c *Counts) add(message []byte, level int) error {
	var errs []error
	err := eachField(message, func(n protowire.Number, _ uint64, bytes []byte) {
		if n != timesPath[level] || bytes == nil {
			return
		}
		if level == len(timesPath)-1 {
			c.Samples += int64(len(bytes) / 8)
			return
		}
		if level == profileLevel {
			c.Profiles++
		}
		errs = append(errs, c.add(bytes, level+1))
	})
	return errors.Join(append(errs, err)...)
}
