package serve_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ask asks for the file of a session, and returns what was answered.
func ask(t *testing.T, socket, id string) (text string, file *os.File) {
	t.Helper()
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /session/"+id+" HTTP/1.1\r\nHost: agent\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got, rights := make([]byte, 1024), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := c.ReadMsgUnix(got, rights)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil || len(messages) == 0 {
		return string(got[:n]), nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(got[:n]), os.NewFile(uintptr(fds[0]), "received")
}

// TestShare: the process of a session gets the file that its capture has, and no other process does.
func TestShare(t *testing.T) {
	if id := os.Getenv("SESSION_ID"); id != "" { // another process
		text, file := ask(t, os.Getenv("SESSION_SOCKET"), id)
		if file != nil || !strings.Contains(text, " 404 ") {
			t.Errorf("another process got %v, %q", file, text)
		}
		return
	}
	s := start(t, 0)
	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.socket)
	}}}
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.WriteFile(shared, []byte("sampled"), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		of := <-s.captures
		file, err := os.Open(shared)
		if err != nil {
			panic(err)
		}
		of.Sampled(file)
		of.Begun()
	}()
	commands, say := io.Pipe()
	defer say.Close()
	answer, err := web.Post("http://agent/session?version=1&frequency=99", "", commands)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	from := bufio.NewReader(answer.Body)
	begun := message(t, from)
	if begun.Type != "begun" || begun.ID == "" {
		t.Fatalf("%+v", begun)
	}
	if text, file := ask(t, s.socket, "x"+begun.ID); file != nil || !strings.Contains(text, " 404 ") {
		t.Errorf("of no session: %v, %q", file, text)
	}
	other := exec.Command(os.Args[0], "-test.run=^TestShare$")
	other.Env = append(os.Environ(), "SESSION_ID="+begun.ID, "SESSION_SOCKET="+s.socket)
	if out, err := other.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	text, file := ask(t, s.socket, begun.ID)
	if file == nil {
		t.Fatalf("no file, but %q", text)
	}
	defer file.Close()
	if got, err := io.ReadAll(file); string(got) != "sampled" {
		t.Errorf("the file has %q, %v", got, err)
	}
	if m := message(t, from); m.Type != "shared" {
		t.Errorf("%+v", m)
	}
}
