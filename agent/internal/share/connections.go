package share

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Connections bounds the connections that a server has. A user or a host has PerCaller, at most, of what others leave:
// nobody can keep others out.
const Connections, PerCaller = 256, 1.0 / 8

// After so many connections for which there was no room there is a rest: to accept them takes CPU time, and one that
// has come is to have its answer before others displace it.
// Others wait meanwhile, for half a second, as the queue is shorter than the 4096 that Go has asked for.
const (
	excess = 16
	rest   = excess * 4 * time.Millisecond
	queue  = 128
)

// ByHost returns a listener of which each host has a share: who has connected need not have a right to anything. Beyond
// it the oldest connection of the host ends, else one that is idle would keep out who has a request; one that asks for
// something ends after those that do not (see Asks), and those that are kept do not end (see Keep).
func ByHost(l net.Listener, log *slog.Logger) net.Listener {
	if s, ok := l.(syscall.Conn); ok {
		shortenQueue(s)
	}
	return &limited{Listener: l, hosts: New[netip.Prefix](Connections, PerCaller), log: log}
}

type limited struct {
	net.Listener
	hosts  *Shares[netip.Prefix]
	log    *slog.Logger
	beyond int // connections for which there was no room; only Accept has it

	mu   sync.Mutex
	open []*counted // by age
}

// shortenQueue bounds the connections that wait to be accepted.
func shortenQueue(l syscall.Conn) {
	if raw, err := l.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Listen(int(fd), queue) }) // once more: listen(2)
	}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(c.RemoteAddr())
		if l.hosts.Take(host, 1) {
			return l.add(c, host), nil
		}
		if l.beyond++; l.beyond%excess == 0 {
			time.Sleep(rest)
		}
		if l.displace(host) && l.hosts.Take(host, 1) {
			return l.add(c, host), nil
		}
		l.log.Debug("connection refused: the host has too many", "host", host)
		c.Close()
	}
}

func (l *limited) add(c net.Conn, host netip.Prefix) net.Conn {
	n := &counted{Conn: c, of: l, host: host, ended: make(chan struct{})}
	l.mu.Lock()
	l.open = append(l.open, n)
	l.mu.Unlock()
	return n
}

// displace ends the oldest connection of a host that is not kept. If the host has none at all, others have all there
// are, and the oldest of them ends.
func (l *limited) displace(host netip.Prefix) bool {
	l.mu.Lock()
	of := func(c *counted) bool { return c.host == host }
	if !slices.ContainsFunc(l.open, of) {
		of = func(*counted) bool { return true }
	}
	var c *counted
	for s := silent; s < kept && c == nil; s++ {
		if oldest := slices.IndexFunc(l.open, func(c *counted) bool { return of(c) && c.state == s }); oldest >= 0 {
			c = l.open[oldest]
		}
	}
	l.mu.Unlock()
	if c != nil {
		c.Close()
	}
	return c != nil
}

// hostOf is the network that is one host's: of IPv6 64 bits. This machine is one host, whatever it calls itself.
func hostOf(a net.Addr) netip.Prefix {
	at, _ := netip.ParseAddrPort(a.String())
	host := at.Addr().Unmap().WithZone("")
	if host.IsLoopback() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	host64, _ := host.Prefix(min(host.BitLen(), 64))
	return host64
}

// state is what is known of a connection: those with a lower one end first.
type state int

const (
	silent state = iota
	asks
	kept
)

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	of    *limited
	host  netip.Prefix
	state state         // below the listener's mu
	ended chan struct{} // closed below it
	from  *bufio.Reader // nil: the connection; see Ahead
}

func (c *counted) Close() error {
	c.of.mu.Lock()
	if i := slices.Index(c.of.open, c); i >= 0 {
		c.of.open = slices.Delete(c.of.open, i, i+1)
		c.of.hosts.Give(c.host, 1)
		close(c.ended)
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (c *counted) Read(b []byte) (int, error) {
	if c.from != nil {
		return c.from.Read(b)
	}
	return c.Conn.Read(b)
}

func (c *counted) becomes(s state) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.state = s
}

// Keep has a connection of ByHost's not end for others: who has connected has a right to what it gets.
func Keep(c net.Conn) {
	if c, ok := c.(*counted); ok {
		c.becomes(kept)
	}
}

// Ahead returns a reader of the first bytes of a connection of ByHost's, which is what Read goes on with.
func Ahead(c net.Conn, size int) *bufio.Reader {
	n := c.(*counted)
	n.from = bufio.NewReaderSize(n.Conn, size)
	return n.from
}

// Asks has a connection of ByHost's end after those that have not sent anything to be answered. ended is closed when it
// does.
func Asks(c net.Conn) (ended <-chan struct{}) {
	n := c.(*counted)
	n.becomes(asks)
	return n.ended
}

type connKey struct{}

// WithConn is a ConnContext for servers of package net/http, by which KeepOf finds the connection of a request.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// KeepOf keeps the connection of a request, if its server has WithConn.
func KeepOf(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(net.Conn); ok {
		Keep(c)
	}
}
