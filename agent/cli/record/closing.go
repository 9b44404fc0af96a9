package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/page"
	"github.com/hotspan/hotspan/pprofx/viewers"
)

func progressLine(p agent.Progress) string {
	return fmt.Sprintf("%4.0fs  %d samples, %s named, %s labelled, %d lost",
		p.Elapsed.Seconds(), p.Samples, terminal.Percent(p.Named, p.WithJS), terminal.Percent(p.Labelled, p.Requests),
		p.Lost)
}

// closing prints how many samples were taken and lost, what sampling cost, and which command to run next.
func closing(c terminal.Console, s *agent.Stats, files *fileSink) {
	a := accountOf(s, files)
	what, idle := "samples taken", ""
	switch {
	case files.both:
		what = "samples and hits of probes"
	case s.NoHit > 0:
		what, idle = "samples and waits", fmt.Sprintf(" + %d idle + %d that are no hit", s.IdleWaits, s.NoHit)
	case len(s.Hits) > 0:
		what = "hits of probes"
	case s.Waits.Since > 0:
		what, idle = "waits", fmt.Sprintf(" + %d idle", s.IdleWaits)
		if s.Waits.OnCPU > 0 {
			what = "samples and waits"
		}
	}
	fmt.Fprintf(c, "%d %s in %.1f s = %d written%s + %d lost%s%s\n", a.Taken, what, a.Duration, a.Written, idle,
		sum(a.Lost), terminal.Counts(a.Lost), output.OtherThreads(files.left))
	if files.both {
		apart(c, s)
	}
	hits(c, s)
	waits(c, s)
	fmt.Fprint(c, profiling.Throttled(s.Throttled))
	_, heldBack := profiling.HeldBack(s.TimerThrottled)
	fmt.Fprint(c, heldBack, profiling.Unsampled(s.Unsampled))
	fmt.Fprintf(c, "stacks complete %s, all JavaScript named %s%s, samples in requests labelled %s%s\n",
		terminal.Percent(s.ToRoot, s.Samples), terminal.Percent(s.Named, s.WithJS),
		terminal.Counts(map[string]int64{"without lines": s.NoLine, "not verified": s.Unverified}),
		terminal.Percent(s.Labelled, s.Requests), terminal.Counts(a.NotAllLabels))
	if s.Requests > s.Learning && s.Labelled == 0 && len(s.Unmatched) == 0 {
		fmt.Fprintln(c, "no sample has a label: hotspan contexts -p PID shows the stores, "+
			"and the --label options for them")
	}
	if files.noRoute {
		fmt.Fprintln(c, "no sample has a route: hotspan contexts -p PID shows the stores; "+
			"--label http.route=PATH makes a value the route")
	}
	fmt.Fprintf(c, "hotspan itself: %.2f s CPU, %d MiB memory%s\n", a.CPU, a.Memory>>20, inKernel(s))
	for _, u := range s.Unmatched {
		fmt.Fprintf(c, "label %s matched nothing; properties seen in stores: %s\n", u.Label, seen(u.Seen))
	}
	if problems := mapProblems(&s.SourceMaps); problems != "" {
		fmt.Fprintf(c, "source maps not used: %s (-v names them)\n", problems)
	}
	if left := output.LeftOut(files.left); left != "" {
		fmt.Fprintf(c, "left out of the file, over its limits: %s\n", left)
	}
	if s.SnapshotsLost > 0 {
		fmt.Fprintf(c, "%d snapshots lost by outputs that were too slow\n", s.SnapshotsLost)
	}
	next(c, s, files)
}

// apart prints what became of the samples of the timer, and of hits: both have snapshots of their own.
func apart(c terminal.Console, s *agent.Stats) {
	var hits int64
	for _, h := range s.Hits {
		hits += h.All
	}
	samples, written := s.Taken-hits, s.Written-s.WrittenHits
	fmt.Fprintf(c, "by the timer: %d samples = %d + %d lost\nby probes: %d hits = %d + %d lost\n", samples, written,
		samples-written, hits, s.WrittenHits, hits-s.WrittenHits)
}

// leastLate is how late a probe is that is said to be. Less is the start of any process.
const leastLate = 100 * time.Millisecond

// hits prints what each probe has counted.
func hits(c terminal.Console, s *agent.Stats) {
	for _, h := range s.Hits {
		fmt.Fprintf(c, "%s: %d hits%s%s", h.Text, h.All, hitsValue(h, s.Lost), terminal.Counts(h.Lost))
		if h.Unmet > 0 {
			fmt.Fprintf(c, ", %d others left out by if", h.Unmet)
		}
		if h.InFile && h.Processes == 0 {
			fmt.Fprint(c, ", since it is on no process")
		}
		if h.Late >= leastLate {
			fmt.Fprintf(c, ", on a process only %s after that was found", inSeconds(h.Late))
		}
		fmt.Fprintln(c)
	}
}

// hitsValue is the sum of what the hits of a probe stand for, and what of it no sample does, and why; empty if that is
// nothing.
func hitsValue(h trigger.Hits, all map[pprofx.LostReason]int64) (text string) {
	amount := func(n int64) string {
		if h.Bytes {
			return terminal.ByteText(n)
		}
		return fmt.Sprintf("value %d", n)
	}
	if h.Weight > 0 {
		text = ", " + amount(h.Weight)
	}
	if lost := valueLost(h); lost > 0 {
		text += ", " + amount(lost) + " of it without a sample"
		by, before := lostValues(h, all), ": "
		for _, reason := range slices.Sorted(maps.Keys(by)) {
			text += before + amount(by[reason]) + " " + reason
			before = ", "
		}
	}
	if h.Odd > 0 {
		text += fmt.Sprintf(", %d of them without a value, which is over 2^40", h.Odd)
	}
	return text
}

// mapProblems returns why source maps were not used; empty if all were.
func mapProblems(m *sourcemaps.Stats) string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{m.Broken, "broken %d"}, {m.TooLarge, "too large %d"}, {m.Missing, "not found %d"}, {m.Remote, "on servers %d"},
		{m.Changed, "none for changed scripts %d"}, {m.Late, "not yet read for %d samples"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.what, p.n))
		}
	}
	return strings.Join(parts, ", ")
}

// inKernel returns the time that sampling took from the sampled processes, per sample. A wait takes it also where it
// turns out to be idle.
func inKernel(s *agent.Stats) string {
	n := float64(s.Samples + s.IdleWaits)
	if s.InKernel == 0 || n == 0 {
		return ""
	}
	micros := float64(s.InKernel.Microseconds()) / n
	if s.IdleWaits > 0 {
		return fmt.Sprintf("; in the kernel %.1f µs a sample or wait, idle ones too", micros)
	}
	return fmt.Sprintf("; in the kernel %.1f µs a sample of %.0f frames", micros, float64(s.Frames)/n)
}

func seen(names []string) string {
	if len(names) == 0 {
		return "none, no store was current in any sample"
	}
	return terminal.Printable(strings.Join(names, ", "))
}

// next prints the file name and the commands that show the profile.
func next(c terminal.Console, s *agent.Stats, files *fileSink) {
	if files.last == "" {
		return
	}
	if files.moved {
		fmt.Fprintf(c, "there is no space left for %s\n", files.path(files.n))
	}
	fmt.Fprintf(c, "wrote %s\n", files.last)
	if s.Written == 0 {
		fmt.Fprintf(c, "no samples in %v: %s\n", s.End.Sub(s.Start).Round(10*time.Millisecond), whyNone(s, files))
		return // no command shows more of an empty profile
	}
	switch files.format {
	case recording.OTLP:
		by := ""
		if files.tag != "" && files.tag != routeLabel {
			by = " --by " + files.tag
		}
		fmt.Fprintf(c, "next: hotspan report%s %s\n", by, files.last)
	case page.HTML:
		fmt.Fprintf(c, "next: open %s in a browser\n", files.last)
	case viewers.Speedscope:
		fmt.Fprintf(c, "next: npx speedscope %s\n", files.last)
	case viewers.Firefox:
		fmt.Fprintf(c, "next: open %s at https://profiler.firefox.com, which keeps it on this machine\n", files.last)
	case viewers.CPUProfile:
		fmt.Fprintf(c, "next: code %s\n", files.last)
	}
	if files.format == recording.Pprof || files.format == recording.Datadog {
		fmt.Fprintf(c, "next: go tool pprof -filefunctions -top %s\n", files.last)
		if len(s.Hits) > 0 {
			index := map[bool]string{true: " -sample_index hits"}[files.both]
			fmt.Fprintf(c, "      go tool pprof%s -tagroot %s -http 127.0.0.1:8080 %s\n", index, pprofx.ProbeLabel,
				files.last)
		}
		if s.Waits.OnCPU > 0 {
			fmt.Fprintf(c, "      go tool pprof -tagroot %s -http 127.0.0.1:8080 %s\n", pprofx.CPULabel, files.last)
		}
		if tag := files.tag; tag != "" {
			if tag == routeLabel && files.format == recording.Datadog {
				tag = "'trace endpoint'"
			}
			fmt.Fprintf(c, "      go tool pprof -tagroot %s -http 127.0.0.1:8080 %s\n", tag, files.last)
		}
	}
}

// shortest is the time of a recording below which no sample says nothing of the process: after Ctrl-C, or where it ends
// soon.
const shortest = 100 * time.Millisecond

// whyNone says why no sample was written.
func whyNone(s *agent.Stats, files *fileSink) string {
	lost := s.LostSum()
	if lost > 0 && lost == s.Taken {
		return "all that were taken are lost"
	}
	why := "the process used almost no CPU (--wall shows what it waits for, hotspan doctor which others there are)"
	switch {
	case s.Profiled == 0 && s.Taken == 0:
		return "no Node.js process was profiled"
	case s.Taken == 0 && kept(files.pid) != "":
		why = "the process is " + kept(files.pid)
	case files.both:
		why = "the process used almost no CPU, and no probe was hit"
	case len(s.Hits) > 0:
		why = "no probe was hit"
	case s.Waits.Since > 0:
		why = fmt.Sprintf("no wait of %v or more has ended in a thread with work", s.Waits.Shortest)
	case s.End.Sub(s.Start) < shortest:
		why = "that is too short to tell what the process does"
	}
	if lost > 0 {
		why += fmt.Sprintf(", but %d were lost", lost)
	}
	return why
}

// kept says what keeps a process from running, now at least; nothing if it may run. 0 is no process.
func kept(pid int) string {
	switch is := procs.ThreadStatus(pid, pid); is {
	case procs.Stopped:
		return "stopped, as by SIGSTOP"
	case procs.Traced:
		return "stopped by a debugger"
	case procs.Frozen:
		return is
	}
	return ""
}
