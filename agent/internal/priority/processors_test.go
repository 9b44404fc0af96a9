package priority

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOneByOne: goroutines run one at a time but for as long as any works in the background.
func TestOneByOne(t *testing.T) {
	all := max(2, runtime.NumCPU())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(all))
	check := func(when string, want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s: %d goroutines run at a time, want %d", when, got, want)
		}
	}
	early := Background()
	undo := OneByOne()
	check("background work had begun before", all)
	early()
	check("it has ended", 1)
	first, second := Background(), Background()
	first()
	check("one of two has ended", all)
	second()
	check("both have ended", 1)
	OneByOne()()
	check("another user has come and gone", 1)
	undo()
	check("afterwards", all)
	Background()()
	check("after background work", all)
}

// TestBackgroundLevel: what is in the background has no raised priority, and its goroutine has it back afterwards.
func TestBackgroundLevel(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	level := func() int {
		p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		return 20 - p
	}
	before := level()
	undo := Raise()
	if level() != Nice {
		t.Fatalf("level %d, want %d: it takes CAP_SYS_NICE", level(), Nice)
	}
	outer := Background()
	inner := Background()
	inBackground := level()
	inner()
	if inBackground != before || level() != before {
		t.Errorf("in the background level %d, then %d, want %d", inBackground, level(), before)
	}
	if outer(); level() != Nice {
		t.Errorf("after background work level %d, want %d", level(), Nice)
	}
	late := Background()
	if undo(); level() != before {
		t.Errorf("afterwards level %d, want %d", level(), before)
	}
	if late(); level() != before {
		t.Errorf("after background work that outlasted it level %d, want %d", level(), before)
	}
}
