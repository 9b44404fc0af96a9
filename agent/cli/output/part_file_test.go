package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// put writes a text to a path as a file of samples is written.
func put(path, text string) error {
	return WriteWhole(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPartsOfTwo: who writes to a path at the same time shares nothing, and follows no link with the temporary name.
func TestPartsOfTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	first, err := createPart(path, shown)
	if err != nil {
		t.Fatal(err)
	}
	stolen := filepath.Join(t.TempDir(), "stolen")
	if err := os.Symlink(stolen, strings.TrimSuffix(first.Name(), ".part")+"-2.part"); err != nil {
		t.Fatal(err)
	}
	if err := put(path, "second"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(stolen); err == nil || content(t, path) != "second" {
		t.Errorf("a link was followed, or %q", content(t, path))
	}
	if _, err := first.WriteString("first"); err != nil {
		t.Fatal(err)
	}
	if err := first.finish(); err != nil || content(t, path) != "first" {
		t.Errorf("%v, %q", err, content(t, path))
	}
}

// TestOutputsThatAreNoFiles: a device and a pipe get what is written and stay what they are, and a pipe without a
// reader is an error, not a pipe to wait for.
func TestOutputsThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, null := filepath.Join(dir, "pipe"), filepath.Join(dir, "null")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := put(pipe, "text"); err == nil || !strings.Contains(err.Error(), "nobody reads this pipe") {
		t.Errorf("without a reader: %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := put(pipe, "text"); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(reader); string(b) != "text" {
		t.Errorf("the pipe has %q, %v", b, err)
	}
	if err := os.Symlink("/dev/null", null); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{null, "/dev/null"} {
		if err := put(path, "text"); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Lstat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("/dev/null is %v, %v", info, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("there are %v", left)
	}
}

// TestOutputLinks: a link of the user's own leads to the file, one of another user is not followed.
func TestOutputLinks(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := put(link, "new"); err != nil || content(t, file) != "new" {
		t.Errorf("%v, %q", err, content(t, file))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root makes files of other users")
	}
	if err := os.Lchown(link, 1000, 1000); err != nil {
		t.Fatal(err)
	}
	err := put(link, "stolen")
	if err == nil || !strings.Contains(err.Error(), "of user 1000") || content(t, file) != "new" {
		t.Errorf("%v, %q", err, content(t, file))
	}
}

// TestPlantedPipe: in a directory in which anybody may make files, a pipe of another user is not written to, and the
// user's own is.
func TestPlantedPipe(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes files of other users")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "cpu.pb.gz")
	if err := errors.Join(os.Chmod(dir, 0o777|os.ModeSticky), unix.Mkfifo(pipe, 0o666)); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := put(pipe, "own"); err != nil {
		t.Error(err)
	}
	if err := os.Chown(pipe, 1000, 1000); err != nil {
		t.Fatal(err)
	}
	if err := put(pipe, "stolen"); err == nil || !strings.Contains(err.Error(), "of another user") {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := put(pipe, "given"); err != nil {
		t.Error(err)
	}
}

// TestDirectoryNotListed: a file is written to a directory in which its user may make files, and list none.
func TestDirectoryNotListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o300); err != nil {
		t.Fatal(err)
	}
	if err := put(filepath.Join(dir, "x"), "text"); err != nil || content(t, filepath.Join(dir, "x")) != "text" {
		t.Error(err)
	}
	if err := syncDir(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}
