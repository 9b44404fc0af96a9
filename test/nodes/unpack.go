package nodes

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxUnpacked is the most that a package may unpack to, in bytes. Node 26 has 140 MB.
const maxUnpacked = 1 << 30

// unpack writes the regular files of an npm tarball into folder. All entries of such a tarball are below "package/".
func unpack(tarball, folder string) error {
	f, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	return unpackTar(tar.NewReader(io.LimitReader(zip, maxUnpacked)), folder)
}

func unpackTar(r *tar.Reader, folder string) error {
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		name, ok := strings.CutPrefix(header.Name, "package/")
		if !ok || !filepath.IsLocal(name) {
			return fmt.Errorf("entry %q is not below package/", header.Name)
		}
		if err := writeFile(filepath.Join(folder, name), r, header.FileInfo().Mode()); err != nil {
			return err
		}
	}
}

func writeFile(name string, r io.Reader, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode.Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
