package client

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// dialSocket connects to a socket, also if so many have connected that the agent has to come to them first: Go does not
// wait for that.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	for {
		c, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if !errors.Is(err, unix.EAGAIN) {
			return c, err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}
