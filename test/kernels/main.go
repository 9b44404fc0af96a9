// Command kernels boots Debian's kernels in virtual machines, profiles programs there that write down what they do, and
// compares. The kernels on which all is right are written to the list that hotspan doctor has, and to README.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hotspan/hotspan/test/debian"
	"github.com/hotspan/hotspan/test/kernels/outcome"
)

// suites are Debian's: 12, 13 and the newest.
const suites = "bookworm,trixie,sid"

func main() {
	hotspan := flag.String("hotspan", "bin/hotspan", "hotspan binary")
	chosen := flag.String("suites", suites, "Debian's suites whose kernels are booted")
	limit := flag.Duration("limit", 15*time.Minute, "how long one kernel may take")
	verbose := flag.Bool("v", false, "print what the console says, and what hotspan said last")
	write := flag.Bool("write", false, "write the kernels on which all is right to the list, and to README")
	flag.Parse()
	ok, err := run(*hotspan, strings.Split(*chosen, ","), *limit, *verbose, *write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// cacheDir is where packages and kernels are kept.
func cacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "hotspan", "kernels"), err
}

func run(hotspan string, suites []string, limit time.Duration, verbose, write bool) (bool, error) {
	for program, of := range map[string]string{emulator: "qemu-system-x86", "dpkg-deb": "dpkg", "apt-get": "apt"} {
		if _, err := exec.LookPath(program); err != nil {
			return false, fmt.Errorf("%s is missing: install %s", program, of)
		}
	}
	cache, err := cacheDir()
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "hotspan-kernels-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "initramfs")
	if err := initramfs(image, hotspan, dir); err != nil {
		return false, err
	}
	var outcomes []outcome.Outcome
	all := true
	for _, s := range suites {
		d := suite{debian.Suite{Name: s, Dir: filepath.Join(cache, s)}}
		o := one(&d, image, limit, verbose)
		outcomes = append(outcomes, o)
		all = all && o.Works()
	}
	print(suites, outcomes)
	if !write {
		return all, nil
	}
	return all, record(outcomes)
}

// one boots the kernel of a suite. What fails is in the outcome.
func one(d *suite, image string, limit time.Duration, verbose bool) (o outcome.Outcome) {
	kernel, err := d.kernel()
	if err != nil {
		o.Failed = err.Error()
		return o
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", d.Name, filepath.Base(kernel))
	begin := time.Now()
	o, err = boot(kernel, image, limit, func(line string) {
		if verbose {
			fmt.Fprintln(os.Stderr, line)
		}
	})
	if err != nil {
		o.Failed = errors.Join(err, errors.New(filepath.Base(kernel))).Error()
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", d.Name, time.Since(begin).Round(time.Second))
	if verbose || !o.Works() {
		fmt.Fprintf(os.Stderr, "%s\n%s\n", strings.Join(o.Examples, "\n"), o.Said)
	}
	return o
}

// print prints a table in Markdown.
func print(suites []string, outcomes []outcome.Outcome) {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', tabwriter.TabIndent)
	row := func(cells ...any) {
		fmt.Fprintf(t, "|"+strings.Repeat("\t %v\t|", len(cells))+"\n", cells...)
	}
	of := func(part, whole int) string { return fmt.Sprintf("%d of %d", part, whole) }
	row("Debian", "kernel", "loaded", "samples", "right functions", "wrong", "right labels", "wrong",
		"right waits and hits", "failed")
	row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---")
	for i, o := range outcomes {
		row(suites[i], o.Release, o.Loaded, o.Samples, of(o.RightFunctions, o.Functions), o.WrongFunctions,
			of(o.RightLabels, o.Labels), o.WrongLabels, of(o.RightTriggered, o.Triggered), o.Failed)
	}
	t.Flush()
}
