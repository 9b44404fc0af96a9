package report

import (
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// MoveFiles returns a snapshot in which files below a folder are in the one that it stands for, as NewSide has it.
func MoveFiles(s *pprofx.Snapshot, moved map[string]string) *pprofx.Snapshot {
	if len(moved) == 0 {
		return s
	}
	out := *s
	out.Frames = make([]*pprofx.Frame, len(s.Frames))
	for i, f := range s.Frames {
		frame := *f
		frame.File = movedFile(f.File, moved)
		out.Frames[i] = &frame
	}
	return &out
}

// movedFile returns the name of a file after the longest folder that has moved and has it.
func movedFile(file string, moved map[string]string) string {
	const url = "file://"
	name, isURL := strings.CutPrefix(file, url)
	longest := ""
	for dir := range moved {
		dir = strings.TrimSuffix(dir, "/")
		if len(dir) > len(longest) && strings.HasPrefix(name, dir+"/") {
			longest = dir
		}
	}
	if longest == "" {
		return file
	}
	to, ok := moved[longest]
	if !ok {
		to = moved[longest+"/"]
	}
	name = strings.TrimSuffix(to, "/") + name[len(longest):]
	if isURL {
		return url + name
	}
	return name
}
