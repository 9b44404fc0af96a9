package context_test

import (
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
