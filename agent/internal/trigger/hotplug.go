package trigger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Hotplug hears which CPUs come online and go from what the kernel tells udev. (Linux, lib/kobject_uevent.c)
type Hotplug struct {
	events  *os.File
	changed atomic.Bool
}

// kernelEvents is the group of those that listen to the kernel itself, not to udev.
const kernelEvents = 1

// WatchCPUs listens until Close. It calls wake on a goroutine of its own when a CPU has come online or gone.
func WatchCPUs(wake func()) (*Hotplug, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK,
		unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, fmt.Errorf("listen to the kernel's events of devices: socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: kernelEvents}); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("listen to the kernel's events of devices: bind: %w", err)
	}
	h := &Hotplug{events: os.NewFile(uintptr(fd), "events of devices")}
	go h.listen(wake)
	return h, nil
}

func (h *Hotplug) listen(wake func()) {
	b := make([]byte, 4096) // the kernel's have at most 2 KiB (UEVENT_BUFFER_SIZE) and a path
	for {
		n, err := h.events.Read(b)
		switch {
		case err == nil && !bytes.Contains(b[:n], []byte("\x00SUBSYSTEM=cpu\x00")):
			continue
		case err != nil && !errors.Is(err, unix.ENOBUFS): // that some were lost; else it is closed
			return
		}
		h.changed.Store(true)
		wake()
	}
}

// Changed reports whether CPUs may have come or gone since it was called last.
func (h *Hotplug) Changed() bool { return h.changed.Swap(false) }

// Close stops listening.
func (h *Hotplug) Close() { h.events.Close() }
