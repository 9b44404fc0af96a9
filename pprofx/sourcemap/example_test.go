package sourcemap_test

import (
	"fmt"
	"log"

	"github.com/hotspan/hotspan/pprofx/sourcemap"
)

// Parse decodes a map, At looks up a generated position.
func ExampleParse() {
	text := `{"version": 3, "sources": ["../src/a.ts"], "names": ["total"], "mappings": "AAAA,IAAIA"}`
	m, err := sourcemap.Parse([]byte(text), "/srv/dist/a.js.map")
	if err != nil {
		log.Fatal(err)
	}
	p, ok := m.At(1, 5)
	fmt.Println(p, ok, m.NameAt(1, 5))
	// Output:
	// {/srv/src/a.ts 1 5} true total
}
