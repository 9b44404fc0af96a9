// Package outcome is what a virtual machine with another kernel says of hotspan in it.
package outcome

// Prefix begins the line of the console that has an Outcome as JSON.
const Prefix = "hotspan-outcome: "

// Outcome is how hotspan did on a kernel. Counts are of samples.
type Outcome struct {
	Release        string   // of the kernel, as uname -r says
	Loaded         bool     // the BPF program was loaded, and sampled
	Samples        int      // in all
	Functions      int      // taken while a known function ran
	RightFunctions int      // of these, with its name innermost
	WrongFunctions int      // with another one
	Labels         int      // taken while a known request ran
	RightLabels    int      // of these, with all of its labels
	WrongLabels    int      // with another request's
	Triggered      int      // waits, and hits of probes
	RightTriggered int      // of these, in the function that waits or calls
	Failed         string   // why there is no more; empty if all was done
	Examples       []string // of what was not right
	Said           string   // by hotspan, last
}

// Works reports whether hotspan did all that it should.
func (o *Outcome) Works() bool {
	return o.Failed == "" && o.Loaded && o.RightFunctions > 0 && o.RightLabels > 0 &&
		o.WrongFunctions == 0 && o.WrongLabels == 0 && o.RightTriggered == o.Triggered && o.Triggered > 0
}
