// Command bench measures what hotspan costs: it runs the Express example under load, alternately alone and profiled. It
// prints the requests served per CPU second of the service, as a ratio to those without a profiler, and hotspan's own
// numbers. It sets no bound, as timings hold for one machine only.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	node := flag.String("node", "node", "Node.js binary")
	hotspan := flag.String("hotspan", "bin/hotspan", "hotspan binary")
	base := flag.String("base", "", "another hotspan binary, measured by turns with the first")
	rounds := flag.Int("rounds", 3, "rounds of each")
	seconds := flag.Int("seconds", 8, "seconds of load a round")
	flag.Parse()
	b := bench{*node, *seconds}
	if err := b.run(*rounds, variants(*hotspan, *base)); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	node    string
	seconds int
}

// variant is one way to run the service: alone, or profiled by a binary at a rate in hertz.
type variant struct {
	name, hotspan string
	rate          int // 0 = alone
}

// variants are what is compared, the service alone first.
func variants(hotspan, base string) []variant {
	all := []variant{{name: "alone"}}
	for _, rate := range []int{99, 999} {
		all = append(all, variant{fmt.Sprintf("%d Hz", rate), hotspan, rate})
		if base != "" {
			all = append(all, variant{fmt.Sprintf("%d Hz, base", rate), base, rate})
		}
	}
	return all
}

func (b bench) run(rounds int, all []variant) error {
	perSecond := make([][]float64, len(all))
	for range rounds {
		for i, v := range all {
			n, said, err := b.round(v)
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			perSecond[i] = append(perSecond[i], n)
			fmt.Printf("%12s  %7.1f requests a CPU second  %s\n", v.name, n, said)
		}
	}
	fmt.Println()
	alone := median(perSecond[0])
	fmt.Printf("median of %d rounds; alone the rounds differ by %.1f %%\n", rounds,
		100*(slices.Max(perSecond[0])-slices.Min(perSecond[0]))/alone)
	for i, v := range all {
		fmt.Printf("%12s  %7.1f requests a CPU second  ratio %.3f\n", v.name, median(perSecond[i]),
			median(perSecond[i])/alone)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// round puts load on a new service. It returns the requests served per second of CPU time, and hotspan's output.
func (b bench) round(v variant) (perSecond float64, said string, err error) {
	service := exec.Command(b.node, "--require", "./tracing.js", "server.js")
	service.Dir = "examples/express"
	service.Env = append(os.Environ(), "PORT=0")
	url, err := listening(service)
	if err != nil {
		return 0, "", err
	}
	defer func() { service.Process.Signal(syscall.SIGTERM); service.Wait() }()
	if _, err := b.load(url, 3); err != nil { // to warm up
		return 0, "", err
	}
	profiler, err := v.profile(service.Process.Pid)
	if err != nil {
		return 0, "", err
	}
	before := cpuTime(service.Process.Pid)
	served, err := b.load(url, b.seconds)
	used := cpuTime(service.Process.Pid) - before
	if err != nil || used <= 0 {
		return 0, "", fmt.Errorf("load: %w, %v of CPU", err, used)
	}
	said, err = profiler.end()
	return float64(served) / used.Seconds(), said, err
}

func listening(c *exec.Cmd) (url string, err error) {
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			return url, nil
		}
	}
	return "", fmt.Errorf("the service ended before it listened")
}

var servedLine = regexp.MustCompile(`(\d+) requests served, 0 failed`)

func (b bench) load(url string, seconds int) (served int, err error) {
	c := exec.Command(b.node, "load.js", url, strconv.Itoa(seconds))
	c.Dir = "examples/express"
	out, err := c.Output()
	m := servedLine.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("load.js: %v: %s", err, out)
	}
	return strconv.Atoi(string(m[1]))
}

// profiler is a running hotspan; nil for none.
type profiler struct {
	*exec.Cmd
	stderr bytes.Buffer
}

func (v variant) profile(pid int) (*profiler, error) {
	if v.rate == 0 {
		return nil, nil
	}
	out := filepath.Join(os.TempDir(), "hotspan-bench.pb.gz")
	p := &profiler{Cmd: exec.Command(v.hotspan, "record", "-p", strconv.Itoa(pid), "-F", strconv.Itoa(v.rate), "-o",
		out)}
	p.Stderr = &p.stderr
	err := p.Start()
	time.Sleep(2 * time.Second) // until it samples
	return p, err
}

func (p *profiler) end() (said string, err error) {
	if p == nil {
		return "", nil
	}
	p.Process.Signal(os.Interrupt)
	if err := p.Wait(); err != nil {
		return "", fmt.Errorf("hotspan: %w: %s", err, p.stderr.String())
	}
	for line := range strings.Lines(p.stderr.String()) {
		if strings.Contains(line, "samples taken") || strings.HasPrefix(line, "hotspan itself") {
			said += strings.TrimSpace(line) + "; "
		}
	}
	return strings.TrimSuffix(said, "; "), nil
}

// cpuTime returns the CPU time of a process, user and system, from /proc/PID/stat, which has hundredths of a second.
func cpuTime(pid int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
