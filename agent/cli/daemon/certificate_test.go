package daemon

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newPair returns a certificate and its key as PEM.
func newPair(t *testing.T, number int64, end time.Time) (cert, key []byte) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), NotBefore: end.Add(-time.Hour), NotAfter: end,
	}
	cert, err = x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	key, err = x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
}

// TestCertificate: callers get the certificate that is in its file, once the key in the other one is its. That one has
// expired is said.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	replace := func(file string, content []byte) {
		t.Helper()
		err := errors.Join(os.WriteFile(file+".new", content, 0o600), os.Rename(file+".new", file))
		if err != nil {
			t.Fatal(err)
		}
	}
	cert, key := newPair(t, 1, time.Now().Add(-time.Minute))
	replace(certFile, cert)
	replace(keyFile, key)
	var log bytes.Buffer
	c, err := openCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil || strings.Count(log.String(), "has expired") != 1 {
		t.Fatalf("%v, %s", err, &log)
	}
	check := func(when string, want int64) {
		t.Helper()
		for range 2 {
			pair, err := c.get(nil)
			if err != nil || pair.Leaf.SerialNumber.Int64() != want {
				t.Errorf("%s: %v, %v, want number %d", when, pair.Leaf.SerialNumber, err, want)
			}
		}
	}
	check("at first", 1)
	cert, key = newPair(t, 2, time.Now().Add(time.Hour))
	replace(certFile, cert)
	check("with another's key", 1)
	replace(keyFile, key)
	check("with its key", 2)
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	check("without a key", 2)
	text := log.String()
	if strings.Count(text, "is not read again") != 2 || strings.Count(text, "is read again") != 1 {
		t.Error(text)
	}
}
