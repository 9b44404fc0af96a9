package main

import "time"

// Where command kernels has put things.
const (
	hotspan  = "/hotspan"
	node     = "/node"
	programs = "/programs/"
	console  = "/dev/ttyS0"
	tests    = "/test/e2e" // a folder
)

// A virtual machine without hardware support is some twenty times slower than a real one.
const (
	rate   = 199
	length = 20 * time.Second
)
