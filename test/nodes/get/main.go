// Command get prints the paths of Node binaries, one a line, and downloads those that are missing:
//
//	go run ./test/nodes/get            all of test/nodes.json
//	go run ./test/nodes/get 24.21.0
package main

import (
	"fmt"
	"os"

	"github.com/hotspan/hotspan/test/nodes"
)

func main() {
	wanted := os.Args[1:]
	if len(wanted) == 0 {
		for _, v := range nodes.Versions() {
			wanted = append(wanted, v.Version)
		}
	}
	for _, version := range wanted {
		path, err := nodes.Path(version)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}
