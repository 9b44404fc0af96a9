package nodes

import (
	"bytes"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// musl is pnpm as one executable: the build of Node.js for musl that Alpine's images have too, and pnpm's script.
var musl = source{
	spec:      "@pnpm/linuxstatic-x64@11.21.0",
	integrity: "sha512-6Y2u+AfOUuTqWgTCpFhySL8HAcONDucCFixKle9tWoW7bm8RF0+fwQBRWNWGdx+Toau07wZ1LNZPqN8gpgeBDQ==",
	prepare:   prepareMusl,
}

// Musl returns the path of a Node.js executable for musl, version 26.0.0, and the directory of its libraries, which has
// to be in LD_LIBRARY_PATH. They have the names that they have on Alpine. It needs musl-gcc and g++.
func Musl() (node, libraries string, err error) {
	node, err = provideFrom(musl, "26.0.0-musl")
	return node, filepath.Join(filepath.Dir(filepath.Dir(node)), "lib"), err
}

// scriptFuse says in an executable of Node.js, by the byte behind it, whether a script was put into it (node:
// src/node_sea_bin.cc).
const scriptFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:"

// muslName is the file name of musl, which loads programs too.
const muslName = "ld-musl-x86_64.so.1"

// prepareMusl makes bin/node, which runs scripts of others again, and lib. Both will be in dir.
func prepareMusl(unpacked, dir string) error {
	executable := filepath.Join(unpacked, "pnpm")
	data, err := os.ReadFile(executable)
	if err != nil {
		return err
	}
	at := bytes.Index(data, []byte(scriptFuse+"1"))
	if at < 0 {
		return errors.New("the package's executable has no script that can be left out")
	}
	data[at+len(scriptFuse)] = '0'
	bin, lib := filepath.Join(unpacked, "bin"), filepath.Join(unpacked, "lib")
	if data, err = withInterpreter(data, filepath.Join(dir, "lib", muslName)); err != nil {
		return err
	}
	return errors.Join(os.Mkdir(bin, 0o755), os.WriteFile(filepath.Join(bin, "node"), data, 0o755),
		os.Remove(executable), os.Mkdir(lib, 0o755), muslLibraries(lib))
}

// withInterpreter has an executable be loaded by a file.
func withInterpreter(executable []byte, path string) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(executable))
	if err != nil {
		return nil, err
	}
	const programHeaders, headerSize, offset, fileSize = 0x20, 56, 8, 32 // in Elf64_Ehdr, and in Elf64_Phdr
	for i, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			header := executable[binary.LittleEndian.Uint64(executable[programHeaders:])+uint64(i)*headerSize:]
			binary.LittleEndian.PutUint64(header[offset:], uint64(len(executable)))
			binary.LittleEndian.PutUint64(header[fileSize:], uint64(len(path)+1))
			return append(append(executable, path...), 0), nil
		}
	}
	return nil, errors.New("the executable is loaded by no other file")
}

// glibc has what the libraries of GCC take from glibc, and musl lacks.
//
//go:embed testdata/glibc.c
var glibc []byte

// muslLibraries copies musl, and gives it the libraries of the compiler that is installed, which are made for glibc.
func muslLibraries(dir string) error {
	libraries := map[string]string{muslName: "/lib/" + muslName}
	for _, name := range []string{"libstdc++.so.6", "libgcc_s.so.1"} {
		path, err := exec.Command("g++", "-print-file-name="+name).Output()
		if err != nil {
			return fmt.Errorf("g++ -print-file-name: %w", err)
		}
		libraries[name] = strings.TrimSpace(string(path))
	}
	for name, from := range libraries {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			return err
		}
	}
	source := filepath.Join(dir, "glibc.c")
	if err := os.WriteFile(source, glibc, 0o644); err != nil {
		return err
	}
	cc := exec.Command("musl-gcc", "-shared", "-fPIC", "-O1", "-o", filepath.Join(dir, "ld-linux-x86-64.so.2"), source)
	if out, err := cc.CombinedOutput(); err != nil {
		return fmt.Errorf("musl-gcc: %w\n%s", err, out)
	}
	return os.Symlink(muslName, filepath.Join(dir, "libc.musl-x86_64.so.1"))
}
