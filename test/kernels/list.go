package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/kernels/outcome"
)

// The list of kernels, a line each, and the document with a sentence made of it. It has those that were booted, and
// 6.18, on which all other tests were run.
const listFile, readmeFile = "agent/internal/doctor/kernels.txt", "README.md"

// sentence matches what summary returns.
var sentence = regexp.MustCompile(`Linux \d+\.\d+(?:, \d+\.\d+)* and \d+\.\d+`)

var version = regexp.MustCompile(`^(\d+)\.(\d+)`)

// record adds the kernels on which all is right to the list.
func record(outcomes []outcome.Outcome) error {
	text, err := os.ReadFile(listFile)
	if err != nil {
		return err
	}
	list := strings.Fields(string(text))
	for _, o := range outcomes {
		if v := version.FindString(o.Release); o.Works() && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, compare)
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	if !sentence.Match(readme) {
		return fmt.Errorf("%s does not name kernels as %s", readmeFile, summary(list))
	}
	if err := os.WriteFile(listFile, []byte(strings.Join(list, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(readmeFile, sentence.ReplaceAll(readme, []byte(summary(list))), 0o644)
}

// compare orders versions such as 6.1 and 6.12.
func compare(a, b string) int {
	x, y := version.FindStringSubmatch(a), version.FindStringSubmatch(b)
	for i := 1; i <= 2; i++ {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return cmp.Compare(m, n)
		}
	}
	return 0
}

// summary names kernels as README does.
func summary(list []string) string {
	last := len(list) - 1
	return fmt.Sprintf("Linux %s and %s", strings.Join(list[:last], ", "), list[last])
}
