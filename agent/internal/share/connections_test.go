package share

import (
	"io"
	"log/slog"
	"net"
	"testing"
	"time"
)

// TestByHost: who has come last is let in, and the oldest connection of the same host ends, unless it is kept or
// asks for something. A machine is one host, by whatever address it connects.
func TestByHost(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := ByHost(inner, slog.Default())
	defer l.Close()
	const room, more = Connections * PerCaller, 8
	hosts := []string{"127.0.0.1", "127.0.0.2", "127.1.2.3"}
	var dialed, accepted []net.Conn
	for i := range int(room) + more {
		c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(hosts[i%3])}}).Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		dialed = append(dialed, c)
		a, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		switch accepted = append(accepted, a); i {
		case 0:
			Keep(a)
		case 1:
			Asks(a)
		}
	}
	for i, c := range dialed {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond)) // if it fails, the test does not end
		_, err := c.Read(make([]byte, 1))
		if ended := err == io.EOF; ended != (i > 1 && i <= more+1) {
			t.Errorf("connection %d of %d: ended %v", i, len(dialed), ended)
		}
	}
	for _, c := range accepted {
		c.Close()
	}
	if of := l.(*limited); of.hosts.All() != 0 || len(of.open) != 0 {
		t.Errorf("%d connections count once all are closed", of.hosts.All())
	}
}
