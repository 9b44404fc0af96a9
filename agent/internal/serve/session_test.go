package serve_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/agent/internal/serve"
)

// sessionMessage is what the test reads of a line of the answer.
type sessionMessage struct {
	Type    string
	ID      string
	Pprof   int64
	Samples int64
}

// A caller that reads nothing for long misses nothing: the pieces of the profile do not wait for it.
func TestSlowSession(t *testing.T) {
	s := start(t, 0)
	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.socket)
	}}}
	commands, say := io.Pipe()
	begun := make(chan serve.Capture, 1)
	go func() { // the answer begins when sampling does
		of := <-s.captures
		of.Begun()
		begun <- of
	}()
	answer, err := web.Post("http://agent/session?version=1&frequency=99", "", commands)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	of := <-begun
	const pieces = 2000
	for n := range int64(pieces) {
		if err := of.To(t.Context(), snapshot(t, n+2, os.Getpid(), 101)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(say, "stop\n"); err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(answer.Body)
	if m := message(t, from); m.Type != "begun" {
		t.Fatalf("%+v", m)
	}
	m := message(t, from)
	p, err := profile.Parse(io.LimitReader(from, m.Pprof))
	if err != nil || m.Type != "snapshot" {
		t.Fatal(m, err)
	}
	sum := int64(0)
	for _, one := range p.Sample {
		sum += one.Value[0]
	}
	if sum < 10*pieces || sum > 10*(pieces+1) { // the end of the capture has ten more, of before the process perhaps
		t.Errorf("%d samples of the own process, want %d", sum, 10*pieces)
	}
	var data struct{ Samples [][]any }
	packed, err := gzip.NewReader(io.LimitReader(from, m.Samples))
	if err != nil {
		t.Fatal(err)
	}
	err = json.NewDecoder(packed).Decode(&data)
	if err != nil || len(data.Samples) != int(sum) {
		t.Errorf("%d samples as JSON, %v", len(data.Samples), err)
	}
}

func message(t *testing.T, from *bufio.Reader) (m sessionMessage) {
	t.Helper()
	line, err := from.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Another version of the protocol is refused by name.
func TestSessionVersion(t *testing.T) {
	s := start(t, 0)
	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.socket)
	}}}
	answer, err := web.Post("http://agent/session?version=2&frequency=99", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	want := "this agent speaks version 1 of the protocol, the package \"2\": install the same version of both\n"
	if answer.StatusCode != http.StatusUpgradeRequired || string(text) != want {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}

// More labels than there may be are refused.
func TestSessionLabels(t *testing.T) {
	s := start(t, 0)
	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.socket)
	}}}
	answer, err := web.Post("http://agent/session?version=1&frequency=99"+strings.Repeat("&label=a=b", 33), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusBadRequest || string(text) != "33 labels: at most 32\n" {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}
