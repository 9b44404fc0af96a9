package cli

import (
	"net"
	"os"
)

// notify tells systemd about the state of the service, if it asks (sd_notify(3)). Errors do not matter: it is news.
func notify(state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state))
}
