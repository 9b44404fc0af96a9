package registers

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/v8/target"
)

// TestList: a process that sleeps has the same registers each time, those of a system call; one that computes runs, or
// has stopped more often.
func TestList(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
	sleeper, busy := exec.Command("sleep", "60"), exec.Command("sh", "-c", "while :; do :; done")
	for _, c := range []*exec.Cmd{sleeper, busy} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	}
	time.Sleep(300 * time.Millisecond)
	first, second := lists(t, sleeper.Process.Pid)
	if first.Running || !first.Still(&second) || first.Registers.IP>>40 == 0 || first.Registers.FSBase == 0 ||
		first.Registers.General[target.RSP]>>40 == 0 {
		t.Errorf("asleep: %+v, then %+v", first, second)
	}
	if first, second = lists(t, busy.Process.Pid); first.Still(&second) {
		t.Errorf("busy, but still for 300 ms: %+v, then %+v", first, second)
	}
}

// lists returns the only thread of a process at two times.
func lists(t *testing.T, pid int) (first, second Thread) {
	t.Helper()
	r, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, to := range []*Thread{&first, &second} {
		all, err := r.List(pid)
		if err != nil || len(all) != 1 || all[0].TID != pid {
			t.Fatalf("%v, %+v", err, all)
		}
		*to = all[0]
		time.Sleep(300 * time.Millisecond)
	}
	return first, second
}

// TestLoad: the program is loaded without all of the kernel's types.
func TestLoad(t *testing.T) {
	var o registersObjects
	if err := load(&o); err != nil {
		t.Fatal(err)
	}
	o.Close()
}
