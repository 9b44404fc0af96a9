package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// manyWorkers starts 80 workers, and says so when all run a function of theirs at times. Each has code of its own in
// three mappings.
const manyWorkers = `const { Worker, isMainThread, parentPort } = require("node:worker_threads");
function spin() { for (const end = Date.now() + 2; Date.now() < end;); }
if (isMainThread) {
	let ready = 0;
	for (let i = 0; i < 80; i++)
		new Worker(process.argv[1]).once("message", () => ++ready === 80 && console.log("ready"));
} else {
	setInterval(spin, 100);
	parentPort.postMessage("");
}
`

// TestManyWorkers: the code of all isolates of a process is known, however many there are, and its libraries too.
func TestManyWorkers(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script := filepath.Join(t.TempDir(), "many.js")
	if err := os.WriteFile(script, []byte(manyWorkers), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node24(t), script)
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	var whole judge.Share
	threads := map[int]bool{}
	for _, s := range record(t, c.Process.Pid, 199, 4*time.Second) {
		if s.TID != s.PID && s.State == "js" {
			whole.Count(s.Stop == "root" && len(s.JS()) > 0)
			threads[s.TID] = true
		}
	}
	atLeast(t, whole, "samples whose stack is whole", 95, 200)
	if len(threads) < 60 {
		t.Errorf("samples of %d workers, want some of each", len(threads))
	}
}
