package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

const (
	nobody      = 65534 // user and group
	hostileTime = 30 * time.Second
	hostileRate = 199
	// maxMemory is how much resident memory hotspan may take beside a hostile process, in KiB.
	maxMemory = 200 << 10
	// fewDescriptors are of what is parsed only now and stays, such as a library: a process that is not given back
	// keeps some thirty.
	fewDescriptors = 4
	// marker is in a file that only root may read.
	marker = "for-root-only"
	// hostileName is what names of hostile.js end with.
	hostileName = "\x1b]0;title\x07\x1b[2J\r\n\u009b31m\u202e"
)

// besideHostile records all processes of the machine while a hostile one of another user runs. The services must have
// all of their samples, a process that starts meanwhile must be found, what root may read must stay with root, and
// nothing of the hostile process may stay in hotspan. A brief run may be beside other tests, whose processes take
// memory of hotspan's as well: then it has further tries.
func (c *chaos) besideHostile() (f figures, err error) {
	tries := 1
	if c.brief {
		tries = 3
	}
	for range tries {
		if f, err = c.oneHostile(); !errors.Is(err, errMemory) {
			break
		}
		fmt.Fprintln(os.Stderr, "hostile process:", err)
	}
	return f, err
}

var errMemory = errors.New("too much memory")

func (c *chaos) oneHostile() (f figures, err error) {
	out := filepath.Join(c.dir, "hostile.jsonl")
	p, err := begin(c.command("record", "-a", "-F", strconv.Itoa(hostileRate), "--label", "tenant=tenant", "-o", out))
	if err != nil {
		return f, err
	}
	defer p.kill()
	if err := p.sampling(); err != nil {
		return f, err
	}
	before := c.warm(p)
	before.descriptors += fewDescriptors
	used, err := c.cpu()
	if err != nil {
		return f, err
	}
	late, err := c.runHostile()
	if err != nil {
		return f, err
	}
	after, err := c.cpu()
	if err != nil {
		return f, err
	}
	f.events = 1
	if err := errors.Join(f.back(p, before), f.finish(p)); err != nil {
		return f, err
	}
	if f.peak > maxMemory {
		return f, fmt.Errorf("%w: %d KiB", errMemory, f.peak)
	}
	return f, errors.Join(kept(p.said.String(), out), c.complete(out, late, used, after))
}

// What hotspan has learned of the services it keeps for two minutes after the last use at most: until then its memory
// grows, whoever else runs. It is steady when the most of half a minute is no more than steadyMemory above that of the
// one before, in KiB.
const (
	warmTime     = 2 * time.Minute
	mostWarmTime = 4 * time.Minute
	warmWindow   = 30 * time.Second
	steadyMemory = 1 << 10
)

// warm waits beside the services until hotspan knows them, and returns what it has then: of memory the least of the
// last half a minute. A brief run does not wait: little can be left by so few processes.
func (c *chaos) warm(p *profiler) usage {
	if c.brief {
		time.Sleep(time.Second)
		return measure(p)
	}
	begin, most := time.Now(), int64(0)
	for {
		before := most
		least := usage{memory: 1 << 62}
		most = 0
		for end := time.Now().Add(warmWindow); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			now := measure(p)
			most = max(most, now.memory)
			if now.memory < least.memory {
				least = now
			}
		}
		passed := time.Since(begin)
		if passed > warmTime && most <= before+steadyMemory || passed > mostWarmTime {
			return least
		}
	}
}

// runHostile runs the hostile process, and another one at the end of its time, whose pid it returns.
func (c *chaos) runHostile() (late int, err error) {
	dir, err := os.MkdirTemp("", "hotspan-hostile-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	end, err := c.startHostile(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, end()) }()
	time.Sleep(c.hostile)
	return c.startLate()
}

// startHostile starts hostile.js as another user. The function that it returns ends it and all that it started.
func (c *chaos) startHostile(dir string) (end func() error, err error) {
	library, node, liar := filepath.Join(dir, "hostile.so"), filepath.Join(dir, "node"), filepath.Join(dir, "liar")
	secret, script := filepath.Join(dir, "secret"), filepath.Join(dir, "hostile.js")
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		return nil, skipError("there is no gcc")
	}
	build := exec.Command(compiler, "-O1", "-shared", "-fPIC", "-pthread", "-o", library,
		"test/chaos/testdata/hostile.c")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w: %s", err, out)
	}
	text := fmt.Sprintf(`{"version":3,"sources":["/%s.ts"],"mappings":"AAAA"}`, marker)
	if err := errors.Join(copyFile(node, c.node), copyFile(liar, c.node), lie(liar, c.random),
		copyFile(script, "test/chaos/hostile.js"), os.WriteFile(secret, []byte(text), 0o600), os.Chmod(dir, 0o777),
		os.Chown(node, nobody, nobody), os.Chown(liar, nobody, nobody), // it makes links to them
	); err != nil {
		return nil, err
	}
	cmd := exec.Command(node, script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOSTILE_DIR=" + dir, "HOSTILE_SECRET=" + secret,
		"HOSTILE_LIBRARY=" + library, "HOSTILE_NODES=" + node + "," + liar,
		"HOSTILE_SEED=" + strconv.Itoa(c.random.IntN(1<<30))}
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // by which it knows when this program ends, however that does
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // all are in its group
		if waited := cmd.Wait(); cmd.ProcessState.Exited() {
			err = fmt.Errorf("the hostile process ended by itself: %w", waited)
		}
		return err
	}, nil
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

// lie makes the constants wrong by which V8 describes itself in an executable.
func lie(file string, random *rand.Rand) error {
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return err
	}
	w, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	lies := 0
	for _, s := range symbols {
		if !strings.HasPrefix(s.Name, "v8dbg_") || random.IntN(4) > 0 || int(s.Section) >= len(f.Sections) {
			continue
		}
		section := f.Sections[s.Section]
		at := int64(s.Value - section.Addr + section.Offset)
		if section.Type == elf.SHT_NOBITS {
			continue
		}
		if _, err := w.WriteAt([]byte{byte(random.IntN(256)), byte(random.IntN(4)), 0, 0}, at); err != nil {
			return errors.Join(err, w.Close())
		}
		lies++
	}
	if lies < 10 {
		return errors.Join(fmt.Errorf("%s has too few constants of V8", file), w.Close())
	}
	return w.Close()
}

// cpu returns the CPU time that each service has used.
func (c *chaos) cpu() (all []time.Duration, err error) {
	for _, s := range c.services {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		var ticks int64
		for _, field := range fields[11:13] { // utime, stime
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return nil, err
			}
			ticks += n
		}
		all = append(all, time.Duration(ticks)*10*time.Millisecond) // USER_HZ is 100
	}
	return all, nil
}

// startLate runs a process until it has used two seconds of CPU time, and returns its pid.
func (c *chaos) startLate() (pid int, err error) {
	cmd := exec.Command(c.node, "-e", "while (process.cpuUsage().user < 2e6) JSON.stringify({ a: new Array(100) })")
	err = cmd.Run()
	return cmd.ProcessState.Pid(), err
}

// kept returns an error if hotspan has printed escape sequences, or anything of a file that is root's.
func kept(said, out string) error {
	text, err := os.ReadFile(out)
	switch {
	case err != nil:
		return err
	case strings.ContainsAny(said, "\x1b\x07\r\u009b\u202e") || bytes.ContainsAny(text, "\x1b\x07\r\u009b\u202e"):
		return fmt.Errorf("escape sequences: %q", said)
	case strings.Contains(said, marker) || bytes.Contains(text, []byte(marker)):
		return errors.New("hotspan has shown a file that only root may read")
	}
	return nil
}

// complete returns an error if services have too few samples for the CPU time that they used, or some without names,
// and if the process that came late has none.
func (c *chaos) complete(out string, late int, before, after []time.Duration) error {
	samples, err := judge.ReadSamples(out)
	if err != nil {
		return err
	}
	of, whole := map[int]int{}, map[int]int{}
	for i := range samples {
		s := &samples[i]
		of[s.PID]++
		if s.Stop == "" || s.Stop == "root" {
			whole[s.PID]++
		}
	}
	for i, s := range c.services {
		pid, want := s.Process.Pid, (after[i]-before[i]).Seconds()*hostileRate
		if got := float64(of[pid]); got < 0.9*want-20 || float64(whole[pid]) < 0.98*got {
			return fmt.Errorf("service %d has %v samples, %d of them whole, of %.0f", pid, got, whole[pid], want)
		}
	}
	if of[late] < hostileRate {
		return fmt.Errorf("a process that started late has %d samples", of[late])
	}
	return c.met(samples)
}

// met returns an error if there is less than a sample a second of the hostile processes' own functions, or if few of
// those have their label: then they were not as hostile as they are meant to be. They compute for 2 of 20 ms.
func (c *chaos) met(samples []judge.Sample) error {
	functions, labelled := 0, 0
	for i := range samples {
		s := &samples[i]
		if !slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return strings.HasSuffix(f.F, hostileName) }) {
			continue
		}
		functions++
		if tenant, _ := s.Labels["tenant"].(string); strings.HasPrefix(tenant, hostileName) {
			labelled++
		}
	}
	if least := int(c.hostile.Seconds()); functions < least || labelled < least/2 {
		return fmt.Errorf("hostile functions have %d samples, of which %d are labelled", functions, labelled)
	}
	return nil
}
