package target

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

// A recording's file is gzip: a line of JSON, then the pages in the order of their addresses.
type recordingHead struct {
	Format    int // 1
	Registers Registers
	About     json.RawMessage
	Pages     []uint64 // addresses, rising
}

const recordingFormat = 1

// maxHead bounds the first line of a file, in bytes.
const maxHead = 4 << 20

// Write writes the recording, compressed, and does not close the writer.
func (r *Recording) Write(to io.Writer) error {
	zip, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	head := recordingHead{recordingFormat, r.Registers, r.About, r.Addresses()}
	if err := json.NewEncoder(zip).Encode(head); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	for _, at := range head.Pages {
		if _, err := zip.Write(r.Pages[at]); err != nil {
			return fmt.Errorf("write recording: page 0x%x: %w", at, err)
		}
	}
	return zip.Close()
}

// ReadRecording reads what Write wrote. Sizes are bounded, so that a file from anywhere can be read.
func ReadRecording(from io.Reader) (*Recording, error) {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	text := bufio.NewReader(io.LimitReader(zip, maxHead+maxPages*PageSize))
	line, err := readLine(text)
	if err != nil {
		return nil, fmt.Errorf("recording: first line: %w", err)
	}
	var head recordingHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("recording: first line: %w", err)
	}
	if head.Format != recordingFormat || len(head.Pages) > maxPages {
		return nil, fmt.Errorf("recording: format %d, %d pages; known are %d and up to %d", head.Format,
			len(head.Pages), recordingFormat, maxPages)
	}
	r := &Recording{Registers: head.Registers, About: head.About, Pages: map[uint64][]byte{}}
	for i, at := range head.Pages {
		b := make([]byte, PageSize)
		if n, err := io.ReadFull(text, b); err != nil {
			return nil, fmt.Errorf("recording: page %d of %d: short read (%d of %d bytes)", i+1, len(head.Pages), n,
				PageSize)
		}
		if at%PageSize != 0 || i > 0 && at <= head.Pages[i-1] {
			return nil, fmt.Errorf("recording: page %d of %d: address 0x%x", i+1, len(head.Pages), at)
		}
		r.Pages[at] = b
	}
	return r, nil
}

// readLine reads up to the line's end, maxHead bytes at most.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for len(line) <= maxHead {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
	return nil, fmt.Errorf("more than %d bytes", maxHead)
}
