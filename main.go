// Command hotspan profiles Node.js services from outside and says which request each sample belongs to.
package main

import (
	"os"

	"github.com/hotspan/hotspan/agent/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
