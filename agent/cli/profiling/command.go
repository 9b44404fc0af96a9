package profiling

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
)

// Command is a command that hotspan starts and profiles. It starts as a shell that waits for a line before it executes
// the command, so that nothing of the command runs before the profiler is ready.
type Command struct {
	*exec.Cmd
	gate   *os.File
	ended  chan struct{} // closed when failed is set
	failed error
}

// StartCommand starts a command with these standard streams; without an input it has none.
func StartCommand(args []string, in io.Reader, out, stderr io.Writer) (*Command, error) {
	if args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, exit.Usagef("no command after --")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	shell := append([]string{"-c", `read -r _ <&3 || exit; exec 3<&- "$@"`, "sh", path}, args[1:]...)
	c := &Command{Cmd: exec.Command("/bin/sh", shell...), gate: write, ended: make(chan struct{})}
	c.Stdin, c.Stdout, c.Stderr = in, out, stderr
	c.WaitDelay = time.Second // of processes that it leaves behind
	c.ExtraFiles = []*os.File{read}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	go c.await()
	return c, nil
}

func (c *Command) await() {
	c.failed = c.Wait()
	close(c.ended)
}

// Failed says how the command has ended, if not with exit code 0; nil where it runs on.
func (c *Command) Failed() error {
	select {
	case <-c.ended:
		return c.failed
	case <-time.After(time.Second): // the agent may know of its end before Wait does
		return nil
	}
}

// While returns a context that is done when the command has ended, or ctx is.
func (c *Command) While(ctx context.Context) context.Context {
	ctx, end := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.ended:
		case <-ctx.Done():
		}
		end()
	}()
	return ctx
}

// executables returns what the command probably runs: its own executable, and Node.js in case it is a script.
func (c *Command) executables() []string {
	paths := []string{c.Args[4]}
	if node, err := exec.LookPath("node"); err == nil {
		paths = append(paths, node)
	}
	return paths
}

// SelectIn has an agent profile the command, which begins when samples are taken, and the processes that it starts.
func (c *Command) SelectIn(config *agent.Config) {
	config.Select.Tree = c.PID()
	config.Preload = c.executables()
	config.Sampling = c.begin
}

// PID is the process of the command.
func (c *Command) PID() int { return c.Process.Pid }

// begin executes the command.
func (c *Command) begin() {
	fmt.Fprintln(c.gate)
	c.gate.Close()
}

// Kill ends the command if it is still running, with what it has started. One that has not begun never does.
func (c *Command) Kill() {
	c.gate.Close()
	select {
	case <-c.ended:
	default:
		left := started(c.PID())
		c.Process.Signal(syscall.SIGTERM)
		<-c.ended
		endLeft(left)
	}
}
