package otlp

import (
	"compress/gzip"
	"io"

	"google.golang.org/grpc"
)

// compressors are the compressions of requests; Uncompressed has none. grpc.UseCompressor would know only one level for
// the whole program.
var compressors = map[Compression]grpc.Compressor{Gzip: fastGzip(), Zstd: zstdCompressor{}}

// fastGzip compresses at level 1, which takes a third of the CPU time of the default level and leaves a snapshot a
// tenth larger.
func fastGzip() grpc.Compressor {
	c, err := grpc.NewGZIPCompressorWithLevel(gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return c
}

// zstdCompressor makes the frames of zstd that Compress makes.
type zstdCompressor struct{}

// Do implements grpc.Compressor.
func (zstdCompressor) Do(to io.Writer, message []byte) error {
	_, err := to.Write(compressor.EncodeAll(message, nil))
	return err
}

// Type implements grpc.Compressor: it is the name in the header.
func (zstdCompressor) Type() string { return string(Zstd) }
