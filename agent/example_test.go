package agent_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/hotspan/hotspan/agent"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
)

// pprofFile is a Sink that writes a snapshot to a file, for go tool pprof.
type pprofFile struct{ path string }

func (f pprofFile) Name() string { return f.path }

func (f pprofFile) Write(_ context.Context, s *pprofx.Snapshot) error {
	file, err := os.Create(f.path)
	if err != nil {
		return err
	}
	if err := pprof.Write(file, s); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// Profile one Node.js process for ten seconds. It takes root, or CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE.
func Example() {
	pid, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Select: agent.Selection{PIDs: []int{pid}},
		Rate:   99,
		Labels: reqctx.AllKinds,
		Sinks:  []agent.Sink{pprofFile{"cpu.pb.gz"}},
		Log:    slog.Default(),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stats, err := a.Run(ctx) // ends earlier if the process does
	if err != nil {
		log.Print(err)
	}
	fmt.Printf("%d samples taken, %d written, %d lost, %d with a label\n",
		stats.Taken, stats.Written, stats.LostSum(), stats.Labelled)
}
