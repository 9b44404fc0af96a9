package context_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log"

	reqctx "github.com/hotspan/hotspan/context"
)

// A rule says where the value of a label is, from the store of an AsyncLocalStorage.
func ExampleParseRule() {
	rule, err := reqctx.ParseRule(`tenant=als("session").user["org id"]`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rule.Label, rule.Store, reqctx.PathString(rule.Path))
	_, err = reqctx.ParseRule("tenant=user..id")
	fmt.Println(err)
	// Output:
	// tenant session user["org id"]
	// label "tenant=user..id": an empty property name in the path
}

// An application publishes a thread context record: a trace, a span, and attributes whose keys are in its process
// context.
func ExampleDecodeRecord() {
	b, err := hex.DecodeString("4bf92f3577b34da6a3ce929d0e0e4736" + "00f067aa0ba902b7")
	if err != nil {
		log.Fatal(err)
	}
	attribute := append([]byte{0, 7}, "/orders"...) // key 0, 7 bytes
	b = append(b, 1, 0)                             // valid
	b = binary.LittleEndian.AppendUint16(b, uint16(len(attribute)))
	record, ok := reqctx.DecodeRecord(append(b, attribute...), []string{"http.route"})
	fmt.Println(ok)
	for _, l := range record.Labels {
		fmt.Printf("%s=%s\n", l.Key, l.Str)
	}
	// Output:
	// true
	// trace_id=4bf92f3577b34da6a3ce929d0e0e4736
	// span_id=00f067aa0ba902b7
	// http.route=/orders
}

// Values that were read become labels. Of those that several sources have, the source with precedence has its way.
func ExampleMerge() {
	rule, err := reqctx.ParseRule("items=cart.items")
	if err != nil {
		log.Fatal(err)
	}
	tree, err := reqctx.NewTree([]reqctx.Rule{rule})
	if err != nil {
		log.Fatal(err)
	}
	var sets reqctx.LabelsBySource
	bad := tree.Decode([]reqctx.Value{{Label: 0, Num: 3, IsNum: true}}, true, &sets)
	sets[reqctx.PublishedLabels] = []reqctx.Label{{Key: "items", Str: "three"}, {Key: "queue", Str: "mail"}}
	for _, l := range reqctx.Merge(&sets) {
		if l.IsNum {
			fmt.Println(l.Key, l.Num)
		} else {
			fmt.Println(l.Key, l.Str)
		}
	}
	fmt.Println(bad, "bad")
	// Output:
	// items 3
	// queue mail
	// 0 bad
}
