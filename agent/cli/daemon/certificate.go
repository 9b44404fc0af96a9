package daemon

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is what --listen shows to callers. It is read again when its files have changed: a certificate may be
// good for days only.
type certificate struct {
	files [2]string // the certificate and its key
	log   *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	as   [2]os.FileInfo // the files when pair was read, or could not be
}

func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{files: [2]string{cert, key}, log: log}
	c.changed()
	return c, c.read()
}

// get implements tls.Config.GetCertificate. While files cannot be read, or do not belong together, the one before
// counts.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed() {
		if err := c.read(); err != nil {
			c.log.Error("the certificate for --listen is not read again: the one before counts", "why", err)
		} else {
			c.log.Info("the certificate for --listen is read again", "good until", c.pair.Leaf.NotAfter)
		}
	}
	return c.pair, nil
}

// changed reports whether files are others than when it was called before.
func (c *certificate) changed() (changed bool) {
	for i, file := range c.files {
		now, _ := os.Stat(file)
		before := c.as[i]
		c.as[i] = now
		if now == nil || before == nil {
			changed = changed || now != before
		} else {
			changed = changed || !os.SameFile(now, before) || now.Size() != before.Size() ||
				!now.ModTime().Equal(before.ModTime())
		}
	}
	return changed
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	if c.pair = &pair; time.Now().After(pair.Leaf.NotAfter) {
		c.log.Warn("the certificate for --listen has expired: callers refuse it", "since", pair.Leaf.NotAfter)
	}
	return nil
}
