package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

// noSource says why there is neither source nor machine code.
const noSource = "No source files and executables are read. Their names in a profile come from the process that was " +
	"profiled, so hotspan web reads them with the rights of the user who called, but not with those of root."

// readProfile reads a profile. Files that it names as URLs, as Node does those of ES modules, get their paths. Mappings
// of files get the length by which pprof knows that addresses are those of the file, as hotspan's are.
func readProfile(name string) (*profile.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, f := range p.Function {
		if u, err := url.Parse(f.Filename); err == nil && u.Scheme == "file" && u.Host == "" && u.Path != "" {
			f.Filename = u.Path
		}
	}
	for _, m := range p.Mapping {
		if filepath.IsAbs(m.File) && m.Start == 0 && m.Limit == 0 && m.Offset == 0 {
			m.Limit = math.MaxUint64
		}
	}
	return p, nil
}

// interfaceOf returns what answers to each path of pprof's web interface. It reads source files and executables only
// with source.
func interfaceOf(p *profile.Profile, source bool) (handlers map[string]http.Handler, err error) {
	options := &driver.Options{
		Flagset: &flags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError)}, Fetch: fetched{p}, Sym: named{},
		UI: quiet{},
		HTTPServer: func(args *driver.HTTPServerArgs) error {
			handlers = args.Handlers
			return nil
		},
	}
	if !source {
		options.Obj = noFiles{}
	}
	if err := driver.PProf(options); err != nil {
		return nil, err
	}
	if !source {
		delete(handlers, "/source")
		delete(handlers, "/disasm")
	}
	return handlers, nil
}

// flags are the command line of pprof. Functions of one name in several files are several. A path is that of the file
// itself: without a prefix to trim, pprof would guess others.
type flags struct{ *flag.FlagSet }

func (f *flags) Parse(func()) []string {
	args := []string{"-http=127.0.0.1:", "-no_browser", "-symbolize=none", "-filefunctions", "-source_path=/",
		"-trim_path=/proc/self/cwd", "profile"}
	if err := f.FlagSet.Parse(args); err != nil {
		panic(err) // pprof has no such flag any more
	}
	return f.Args()
}

// StringList defines a flag that may be repeated, of which this command line has none.
func (f *flags) StringList(string, string, string) *[]*string { return &[]*string{} }
func (f *flags) ExtraUsage() string                           { return "" }
func (f *flags) AddExtraUsage(string)                         {}

// fetched is a profile that is there already.
type fetched struct{ *profile.Profile }

func (p fetched) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	return p.Profile, "", nil
}

// named names nothing: all names are in the profile.
type named struct{}

func (named) Symbolize(string, driver.MappingSources, *profile.Profile) error { return nil }

// noFiles opens no files.
type noFiles struct{}

var errNoFiles = errors.New(noSource)

func (noFiles) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, errNoFiles
}

func (noFiles) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, errNoFiles }

// quiet prints errors only.
type quiet struct{}

func (quiet) ReadLine(string) (string, error) { return "", errors.New("nobody is asked") }
func (quiet) Print(...any)                    {}
func (quiet) PrintErr(args ...any) {
	fmt.Fprintln(os.Stderr, "pprof: "+strings.TrimSpace(fmt.Sprint(args...)))
}
func (quiet) IsTerminal() bool                    { return false }
func (quiet) WantBrowser() bool                   { return false }
func (quiet) SetAutoComplete(func(string) string) {}
