package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// ErrNotNode says that a process does not run V8.
var ErrNotNode = errors.New("not a Node.js process: there is no V8 that hotspan knows in its executable or libraries")

// ErrGone says that a process has ended.
var ErrGone = errors.New("there is no such process")

// NothingToProfile reports whether an error of Open only says that there is no Node process.
func NothingToProfile(err error) bool {
	return errors.Is(err, ErrNotNode) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrGone)
}

// LogRefused logs why a process is not profiled, if that is worth a word: an error of a file is said once, for whatever
// process.
func LogRefused(log *slog.Logger, pid int, err error) {
	level := slog.LevelWarn
	if errors.Is(err, elffile.ErrNotAgain) || errors.Is(err, sampler.ErrNoPlaceAgain) {
		level = slog.LevelDebug
	}
	if err != nil && !NothingToProfile(err) {
		log.Log(context.Background(), level, "process is not profiled", "pid", pid, "why", err)
	}
}

// LogDenied logs what is not profiled since this user may not read so many processes, or not even see others.
func LogDenied(log *slog.Logger, unreadable int) {
	if unreadable > 0 {
		log.Warn("no permission to read some processes: "+Denied(), "processes", unreadable)
	}
	if procs.Hidden() {
		log.Warn("processes of other users are not profiled: /proc hides them (hidepid): " + Denied())
	}
}

// fewFiles is for a warning that is given once: the limit is of hotspan as a whole.
var fewFiles sync.Once

// LogFewFiles warns where hotspan may not open as many files at a time as it needs to find and read so many processes.
// Of one whose files in /proc cannot be opened it may not even be known whether it is there.
func LogFewFiles(log *slog.Logger, processes int) {
	if limit, needed := procs.OpenFiles(processes); limit < needed {
		fewFiles.Do(func() {
			log.Warn("too few files may be open: processes or names may be left out: raise the limit (ulimit -n)",
				"limit", limit, "needed", needed)
		})
	}
}

// Denied says what to do where the kernel does not let this user read a process.
func Denied() string {
	if procs.Capable(unix.CAP_SYS_PTRACE) {
		return "the kernel refuses it even to CAP_SYS_PTRACE, by a security module, a seccomp filter, or for another " +
			"user namespace"
	}
	return "run hotspan as root, or give it CAP_SYS_PTRACE"
}

// ErrUnreadable says that this user may not read a file that a process has mapped, and what to do about it.
var ErrUnreadable = errors.New("make the file readable, or give hotspan CAP_DAC_READ_SEARCH")

// explainFile adds to an error of opening a file that a process has mapped what to do about it.
func explainFile(err error) error {
	gone := errors.Is(err, procs.ErrNoPath)
	if errors.Is(err, fs.ErrPermission) && !gone && !procs.Capable(unix.CAP_DAC_READ_SEARCH) {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return err
}

// explainAccess adds to an error of reading a process what to do about it.
func explainAccess(pid int, err error) error {
	switch {
	case errors.Is(err, ErrNotNode):
		return fmt.Errorf("process %d: %w", pid, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to read process %d: %s: %w", pid, Denied(), err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ESRCH):
		return Gone(pid)
	}
	return err
}

// Gone returns the error, an ErrGone, of a process that this user does not see.
func Gone(pid int) error {
	err := fmt.Errorf("process %d: %w", pid, ErrGone)
	if procs.Hidden() {
		err = fmt.Errorf("%w that /proc shows, which hides those of other users (hidepid): %s", err, Denied())
	}
	return err
}
