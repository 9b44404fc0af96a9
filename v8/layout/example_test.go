package layout_test

import (
	"fmt"
	"log"
	"os"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
)

// Reading where the V8 of a Node.js binary keeps a function's SharedFunctionInfo.
func ExampleRead() {
	path, err := nodes.Path("24.21.0") // any path of a Node.js binary will do
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	l, err := layout.Read(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Node", l.Node, "V8", l.V8)
	for _, f := range []layout.Field{layout.JSFunctionShared, layout.ScriptID, layout.IsolateKey} {
		fmt.Println(f, l.Values[f])
	}
	fmt.Println("all that a function's identity needs is known:",
		l.Require(layout.JSFunctionShared, layout.SFIScript, layout.ScriptID) == nil)
	// Output:
	// Node 24.21.0 V8 13.6.233.17
	// JSFunction.shared 32
	// Script.id 64
	// Isolate.key absent
	// all that a function's identity needs is known: true
}
