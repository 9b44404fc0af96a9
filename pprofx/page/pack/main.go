// Command pack makes page.html.gz of the folder app: the page without data, as small as it can be, since it is a part
// of every hotspan. It runs in the folder of package page.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

func main() {
	if err := pack("page.html.gz", os.DirFS("app")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack(name string, app fs.FS) error {
	text, err := page(app)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(text))
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

// page returns the page with a NUL in place of its data. Its policy allows its own script and style, and nothing else.
func page(app fs.FS) (string, error) {
	var failed error
	file := func(name string) string {
		text, err := fs.ReadFile(app, name)
		failed = errors.Join(failed, err)
		return string(text)
	}
	style, script := file("page.css"), bundle("main.js", file)
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + hash(script) + "; style-src " +
		hash(style)
	fill := strings.NewReplacer("{policy}", policy, "{style}", style, "{script}", script, "{data}", "\x00")
	return fill.Replace(file("page.html")), failed
}

// hash is how a policy names an element of the page by its text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
