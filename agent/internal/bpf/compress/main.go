// Command compress writes FILE.zst, a zstd frame of FILE, for each file that it is given. The bytes depend on the file
// and on the version of klauspost/compress alone, which go.mod pins: the zstd of a distribution may write others.
package main

import (
	"log"
	"os"

	"github.com/klauspost/compress/zstd"
)

func main() {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range os.Args[1:] {
		file, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name+".zst", compressor.EncodeAll(file, nil), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
