package inspect

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/nodeargs"
	"github.com/hotspan/hotspan/agent/internal/process"
)

// StoreLocation says where a process keeps the stores of its AsyncLocalStorages, from which labels are read: in V8's
// AsyncContextFrame, or in the resources of async_hooks.
type StoreLocation struct {
	InFrame bool   // in the AsyncContextFrame
	Seen    bool   // it was seen in the process's memory; else it follows from the Node version and its options
	Why     string // a phrase
}

// The names of the option: the first since Node 22.7, the second since Node 24.
const (
	experimentalFrame = "experimental-async-context-frame"
	frameOption       = "async-context-frame"
)

// ExpectedLocation derives the location from version and options. args are the arguments of the process, options is its
// NODE_OPTIONS.
func ExpectedLocation(node string, args []string, options string) StoreLocation {
	major, minor, ok := process.ParseRelease(node)
	switch {
	case !ok:
		return StoreLocation{Why: "not certain: the executable does not contain its Node.js version"}
	case major < 22 || major == 22 && minor < 7:
		return StoreLocation{Why: fmt.Sprintf("Node %d.%d has nothing else", major, minor)}
	}
	own, _ := nodeargs.Split(args)
	f := StoreLocation{InFrame: major >= 24, Why: fmt.Sprintf("the default of Node %d", major)}
	for _, place := range []struct {
		name  string
		words []string
	}{{"NODE_OPTIONS", strings.Fields(options)}, {"the command line", own}} {
		for _, word := range place.words {
			if on, is := frameSwitch(word); is {
				f.InFrame, f.Why = on, word+" in "+place.name
			}
		}
	}
	return f
}

// FixHandles returns, as a phrase, what makes stores of dd-trace readable that are behind opaque handles. dd-trace uses
// handles before 5.107, and in a Node.js without AsyncContextFrame. (dd-trace, packages/datadog-core/src/storage.js)
func (f StoreLocation) FixHandles(node string) string {
	const newer = "dd-trace 5.107 or later"
	major, minor, ok := process.ParseRelease(node)
	switch {
	case f.InFrame:
		return "it takes " + newer
	case ok && major >= 24:
		return "it takes Node.js without --no-async-context-frame, and " + newer
	case ok && (major == 23 || major == 22 && minor >= 7):
		return "it takes Node.js with --experimental-async-context-frame, and " + newer
	}
	return "it takes Node.js 24 or later, and " + newer
}

// frameSwitch reports whether a word is the option, and its value. Node.js treats underscores as hyphens.
func frameSwitch(word string) (on, is bool) {
	name, ok := strings.CutPrefix(strings.ReplaceAll(word, "_", "-"), "--")
	rest, negated := strings.CutPrefix(name, "no-")
	return !negated, ok && (rest == frameOption || rest == experimentalFrame)
}
