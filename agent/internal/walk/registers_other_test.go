//go:build !amd64

package walk

import (
	"runtime"
	"testing"

	memory "github.com/hotspan/hotspan/v8/target"
)

// registers ends a test that needs the registers of a live thread: the walk knows those of x86-64 only.
func registers(t testing.TB, _ int) memory.Registers {
	t.Helper()
	t.Fatalf("hotspan walks x86-64 only; this is %s", runtime.GOARCH)
	return memory.Registers{}
}
