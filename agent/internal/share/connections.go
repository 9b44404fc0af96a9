package share

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
)

// Connections bounds the connections that a server has. A user or a host has PerCaller, at most, of what others leave:
// nobody can keep others out.
const Connections, PerCaller = 256, 1.0 / 8

// ByHost returns a listener of which each host has a share: who has connected need not have a right to anything. A host
// beyond its share is refused.
func ByHost(l net.Listener, log *slog.Logger) net.Listener {
	return limited{l, New[netip.Prefix](Connections, PerCaller), log}
}

type limited struct {
	net.Listener
	hosts *Shares[netip.Prefix]
	log   *slog.Logger
}

func (l limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(c.RemoteAddr())
		if l.hosts.Take(host, 1) {
			return &counted{Conn: c, end: sync.OnceFunc(func() { l.hosts.Give(host, 1) })}, nil
		}
		l.log.Debug("connection refused: the host has too many", "host", host)
		c.Close()
	}
}

// hostOf is the network that is one host's: of IPv6 64 bits.
func hostOf(a net.Addr) netip.Prefix {
	at, _ := netip.ParseAddrPort(a.String())
	host := at.Addr().Unmap().WithZone("")
	host64, _ := host.Prefix(min(host.BitLen(), 64))
	return host64
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	c.end()
	return c.Conn.Close()
}
