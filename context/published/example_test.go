package published_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"log"

	"github.com/hotspan/hotspan/context/published"
)

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
	record, ok := published.DecodeRecord(append(b, attribute...), []string{"http.route"})
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
