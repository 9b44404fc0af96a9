package pprofx_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/pprofx/text"
)

// exampleSnapshot has three samples of one thread: two in a request, and one outside of any.
func exampleSnapshot() *pprofx.Snapshot {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano()
	b, err := pprofx.NewBuilder(start, int64(10*time.Millisecond)) // 100 samples per second
	if err != nil {
		log.Fatal(err)
	}
	b.SetProcess(42, pprofx.Process{Executable: "/usr/bin/node", Service: "shop"})
	main := &pprofx.Frame{Function: "main", File: "/srv/app.js", Line: 3, Column: 1, Tier: pprofx.Ignition}
	price := &pprofx.Frame{Function: "price", File: "/srv/price.js", Line: 12, Column: 7, Tier: pprofx.TurboFan}
	route := []pprofx.Label{{Key: "http.route", Str: "/cart/:id"}}
	for i, s := range []pprofx.Sample{
		{Stack: []*pprofx.Frame{price, main}, Labels: route},
		{Stack: []*pprofx.Frame{price, main}, Labels: route},
		{Stack: []*pprofx.Frame{main}},
	} {
		s.Time = start + int64(i)*int64(10*time.Millisecond)
		s.PID, s.TID, s.Thread = 42, 42, "node"
		s.State, s.Stop = pprofx.StateJS, pprofx.StopRoot
		b.Add(&s)
	}
	b.Lose(pprofx.LostRingFull, 1)
	return b.Cut(start + int64(time.Second))
}

// A snapshot becomes a pprof profile, which google/pprof reads back.
func Example_pprof() {
	var file bytes.Buffer
	if err := pprof.Write(&file, exampleSnapshot()); err != nil {
		log.Fatal(err)
	}
	p, err := profile.Parse(&file)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range p.Sample {
		leaf := s.Location[0].Line[0]
		fmt.Printf("%s:%d samples=%d cpu=%v route=%q\n", leaf.Function.Name, leaf.Line,
			s.Value[0], time.Duration(s.Value[1]), s.Label["http.route"])
	}
	fmt.Println(p.Comments)
	// Output:
	// price:12 samples=2 cpu=20ms route=["/cart/:id"]
	// main:3 samples=1 cpu=10ms route=[]
	// [lost: 1 ring buffer full process 42: service.name=shop]
}

// Collapsed stacks have one line for each distinct stack.
func Example_collapsed() {
	if err := text.WriteCollapsed(os.Stdout, exampleSnapshot()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// node;main /srv/app.js:3 1
	// node;main /srv/app.js:3;price /srv/price.js:12 2
}
