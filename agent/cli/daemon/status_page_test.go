package daemon

import (
	"log/slog"
	"net"
	"strings"
	"testing"
)

// TestHTTPErrors: an address that cannot be served is named with the flag that it is from.
func TestHTTPErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{
		taken.Addr().String(): "address already in use",
		"0.0.0.0:7071":        "want an address on loopback",
	} {
		p := statusPage{delivering: &delivering{log: slog.Default()}}
		if err := p.serve(address, nil); err == nil || !strings.HasPrefix(err.Error(), "--http: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want --http and %q", address, err, want)
		}
	}
}
