package output

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// partSuffix is what the name of a file has while it is written, behind its own: see createPart.
var partSuffix = regexp.MustCompile(`\.\d+(-\d+)?\.part$`)

// lock holds a file for as long as it is open: the kernel lets go of it when its process is killed.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// RemoveLeftParts removes the files that were written when hotspan was killed. Those match a pattern of package
// path/filepath, without what parts have behind their names, and isName says whether a name is one of hotspan's. What
// cannot be removed stays.
func RemoveLeftParts(pattern string, isName func(path string) bool) {
	all, _ := filepath.Glob(pattern + ".*.part") // a pattern that is malformed matches nothing
	for _, part := range all {
		suffix := partSuffix.FindString(part)
		if suffix != "" && isName(strings.TrimSuffix(part, suffix)) {
			removeLeft(part)
		}
	}
}

// removeLeft removes a file of this user that nobody writes any more.
func removeLeft(part string) {
	f, err := os.OpenFile(part, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return
	}
	if lock(f) == nil {
		os.Remove(part)
	}
}
