package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// How many executables processes are of, and how many of these are Node.js.
const (
	manyPrograms  = 200
	manyNodes     = 8
	manyProcesses = 5000
)

// manyExecutables has thousands of processes start that live for a moment, each of one of 200 executables, while an
// agent profiles those of Node.js among them.
func (c *chaos) manyExecutables() (f figures, err error) {
	programs, processes, nodes := manyPrograms, manyProcesses, manyNodes
	if c.brief {
		programs, processes, nodes = 50, 300, 2
	}
	dir, err := os.MkdirTemp(c.dir, "executables-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	all, err := c.executables(dir, programs, nodes)
	if err != nil {
		return f, err
	}
	p, err := c.agentOf(dir) // not of the services, of which it always learns more
	if err != nil {
		return f, err
	}
	defer p.kill()
	before, err := whileOneLives(p, all[0][0])
	if err != nil {
		return f, err
	}
	if err := startEach(all, processes); err != nil {
		return f, err
	}
	f.events = processes
	if err := f.back(p, before); err != nil {
		return f, err
	}
	return f, f.finish(p)
}

// whileOneLives measures hotspan when it has read a first process of Node.js, which ends then.
func whileOneLives(p *profiler, path string) (usage, error) {
	idle := measure(p)
	first := exec.Command(path, "-e", "setInterval(() => {}, 100)")
	if err := first.Start(); err != nil {
		return usage{}, err
	}
	err := settled(p, idle)
	_, _ = first.Process.Kill(), first.Wait()
	time.Sleep(time.Second) // hotspan notices
	before := measure(p)
	before.entries = entriesOf(p)
	return before, err
}

// work is a program that has work when hotspan has had the time to find it.
const work = "setTimeout(() => { for (const end = Date.now() + 100; Date.now() < end;); }, 700)"

// executables makes executables of which no two have the same content or build id: those of Node.js, and small ones.
func (c *chaos) executables(dir string, programs, nodes int) (all [][]string, err error) {
	node, err1 := os.ReadFile(c.node)
	sleep, err2 := os.ReadFile("/bin/sleep")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	for i := range programs {
		path := filepath.Join(dir, fmt.Sprint(i))
		content, args := sleep, []string{path, "0.01"}
		if i < nodes {
			content, args = node, []string{path, "-e", work}
		}
		if err := writeOther(path, content, i); err != nil {
			return nil, err
		}
		all = append(all, args)
	}
	return all, nil
}

// buildID is what stands before a build id of 20 bytes: the note's header (elf(5)).
var buildID = []byte("\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00")

// writeOther writes an executable with another build id, and a byte more for each number.
func writeOther(path string, content []byte, number int) error {
	at := bytes.Index(content, buildID)
	if at < 0 {
		return fmt.Errorf("%s is to be a copy of a file with a build id", path)
	}
	content = append(bytes.Clone(content), make([]byte, number)...)
	copy(content[at+len(buildID):], fmt.Sprintf("executable %9d", number))
	return os.WriteFile(path, content, 0o755)
}

// atOnce is how many processes live at a time.
const atOnce = 8

// startEach starts processes of the executables in turn, and waits for each.
func startEach(all [][]string, processes int) error {
	next, failed := make(chan []string), make([]error, atOnce)
	var each sync.WaitGroup
	for i := range failed {
		each.Go(func() {
			for args := range next {
				if err := exec.Command(args[0], args[1:]...).Run(); err != nil {
					failed[i] = err
				}
			}
		})
	}
	for i := range processes {
		next <- all[i%len(all)]
	}
	close(next)
	each.Wait()
	return errors.Join(failed...)
}
