package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

type options struct {
	node     string        // the Node executable that runs the service
	hotspan  string        // the hotspan executable
	service  string        // folder of the service
	out      string        // the recording to write
	duration time.Duration // of the recording
}

// check returns an error that says what is missing, before anything is started. It makes the paths absolute, since the
// service runs in its own folder.
func check(o *options) error {
	for _, path := range []*string{&o.node, &o.hotspan, &o.service} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	if _, err := os.Stat(o.hotspan); err != nil {
		return fmt.Errorf("%s does not exist: run make build first", o.hotspan)
	}
	if _, err := os.Stat(filepath.Join(o.service, "node_modules")); err != nil {
		return fmt.Errorf("the service's packages are not installed: run npm ci in %s", o.service)
	}
	if os.Geteuid() != 0 {
		return errors.New("sampling another process with BPF needs root: run sudo make demo")
	}
	return nil
}
