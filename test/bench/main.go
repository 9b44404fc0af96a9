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
	rounds := flag.Int("rounds", 3, "rounds of each")
	seconds := flag.Int("seconds", 8, "seconds of load a round")
	flag.Parse()
	b := bench{*node, *hotspan, *seconds}
	if err := b.run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	node, hotspan string
	seconds       int
}

// rates are the sampling rates, in hertz, that are compared with no sampling.
var rates = []int{0, 99, 999}

func (b bench) run(rounds int) error {
	perSecond := map[int][]float64{}
	for range rounds {
		for _, rate := range rates {
			n, said, err := b.round(rate)
			if err != nil {
				return err
			}
			perSecond[rate] = append(perSecond[rate], n)
			fmt.Printf("%4d Hz  %7.1f requests a CPU second  %s\n", rate, n, said)
		}
	}
	fmt.Println()
	base := median(perSecond[0])
	fmt.Printf("median of %d rounds; alone the rounds differ by %.1f %%\n", rounds,
		100*(slices.Max(perSecond[0])-slices.Min(perSecond[0]))/base)
	for _, rate := range rates {
		fmt.Printf("%4d Hz  %7.1f requests a CPU second  ratio %.3f\n", rate, median(perSecond[rate]),
			median(perSecond[rate])/base)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// round puts load on a new service. It returns the requests served per second of CPU time, and hotspan's output.
func (b bench) round(rate int) (perSecond float64, said string, err error) {
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
	profiler, err := b.profile(rate, service.Process.Pid)
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

func (b bench) profile(rate, pid int) (*profiler, error) {
	if rate == 0 {
		return nil, nil
	}
	out := filepath.Join(os.TempDir(), "hotspan-bench.pb.gz")
	p := &profiler{Cmd: exec.Command(b.hotspan, "record", "-p", strconv.Itoa(pid), "-F", strconv.Itoa(rate), "-o", out)}
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
