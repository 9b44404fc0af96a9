// Command table runs the programs of test/programs, which log what they do, on versions of Node.js, under hotspan and
// under node --cpu-prof. It prints what share of each profile is true, as tables in Markdown.
//
// It exits with 1 if what README says of functions and labels does not hold for what was run, and says where.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/nodes"
)

func main() {
	var r runner
	versions := flag.String("node", "", "versions of test/nodes.json, with commas between them; all without it")
	flag.StringVar(&r.program, "program", "", "only programs whose names begin with this")
	flag.StringVar(&r.hotspan, "hotspan", "bin/hotspan", "hotspan binary")
	flag.IntVar(&r.rate, "rate", 997, "hotspan's samples a second")
	flag.Float64Var(&r.scale, "scale", 1, "how much longer than usual programs run")
	flag.BoolVar(&r.peer, "cpu-prof", true, "also node --cpu-prof")
	flag.Parse()
	chosen, err := choose(*versions)
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(2)
	}
	for _, v := range chosen {
		r.version(v)
	}
	if report(os.Stdout, r.rows) {
		os.Exit(1)
	}
}

// choose returns versions of test/nodes.json.
func choose(list string) ([]nodes.Version, error) {
	all := nodes.Versions()
	if list == "" {
		return all, nil
	}
	var out []nodes.Version
	for _, want := range strings.Split(list, ",") {
		i := slices.IndexFunc(all, func(v nodes.Version) bool { return v.Version == want })
		if i < 0 {
			return nil, fmt.Errorf("node %s: not in test/nodes.json", want)
		}
		out = append(out, all[i])
	}
	return out, nil
}
