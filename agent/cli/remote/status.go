package remote

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// Status is the verb that says what a running agent does.
type Status struct {
	ConnectFlags
	JSON bool `name:"json" help:"Print all of it as JSON."`
}

// Run prints what the agent does.
func (v *Status) Run(stdout io.Writer, _ terminal.Console) error {
	agent, err := v.Dial()
	if err != nil {
		return err
	}
	defer agent.Close()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	s, err := agent.Status(ctx)
	if err != nil {
		return err
	}
	if v.JSON {
		return terminal.PrintJSON(stdout, s)
	}
	printStatus(stdout, s)
	return nil
}

func printStatus(to io.Writer, s *api.StatusResponse) {
	lost, reasons := uint64(0), map[string]int64{}
	for _, reason := range slices.Sorted(maps.Keys(s.Lost)) {
		lost += s.Lost[reason]
		reasons[reason] = int64(s.Lost[reason])
	}
	fmt.Fprintln(to, s.Version)
	if s.Started == 0 {
		fmt.Fprintln(to, "not sampling yet")
		return
	}
	fmt.Fprintf(to, "sampling %d processes at %d Hz since %s\n", s.Processes, s.Rate,
		timeText(s.Started))
	fmt.Fprintf(to, "%d samples taken = %d written + %d lost%s + %d in the snapshot that is open\n", s.Taken, s.Written,
		lost, terminal.Counts(reasons), s.Taken-s.Written-lost)
	fmt.Fprintf(to, "store: %s%s\n", stored(s), terminal.Counts(map[string]int64{
		"removed": int64(s.Removed), "not written": int64(s.Unwritten),
		"lost since the disk was too slow": int64(s.TooSlow),
	}))
	for _, d := range s.Destinations {
		state, trouble := "delivering", "the last refusal: "
		if d.Failing {
			state, trouble = "failing", "since "+timeText(d.Since)+": "
		}
		fmt.Fprintf(to, "%s: %s, %d samples of %d snapshots delivered%s\n", d.Name, state, d.Samples, d.Snapshots,
			terminal.Counts(map[string]int64{"snapshots waiting": int64(d.Waiting),
				"samples refused": int64(d.Refused), "snapshots damaged": int64(d.Damaged),
				"snapshots removed before": int64(d.Removed)}))
		if d.Why != "" {
			fmt.Fprintf(to, "    %s%s\n", trouble, terminal.Printable(d.Why))
		}
	}
}

func timeText(unixNano uint64) string { return time.Unix(0, int64(unixNano)).Format(time.RFC3339) }

// stored says which snapshots are in the store.
func stored(s *api.StatusResponse) string {
	if s.LastSequence == 0 {
		return "no snapshots"
	}
	return fmt.Sprintf("snapshots %d to %d", s.FirstSequence, s.LastSequence)
}
