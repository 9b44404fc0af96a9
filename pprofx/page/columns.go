package page

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
)

// columns writes the data of a page: texts and lists of numbers, each number as a varint of Go's encoding/binary. It is
// read by app/reader.js.
type columns struct {
	to   *bufio.Writer
	room [binary.MaxVarintLen64]byte
}

func newColumns(to io.Writer) *columns { return &columns{to: bufio.NewWriterSize(to, 1<<16)} }

func (c *columns) number(n uint64) {
	c.to.Write(c.room[:binary.PutUvarint(c.room[:], n)]) // Flush returns the error
}

// column writes a list of n numbers without their count.
func (c *columns) column(n int, at func(int) uint64) {
	for i := range n {
		c.number(at(i))
	}
}

// list writes a count and so many numbers that are not negative.
func (c *columns) list(list []int32) {
	c.number(uint64(len(list)))
	c.column(len(list), func(i int) uint64 { return uint64(list[i]) })
}

// texts writes the length of each text, and then all of them.
func (c *columns) texts(list []string) {
	all := make([]string, len(list))
	total := 0
	for i, text := range list {
		all[i] = strings.ToValidUTF8(text, "\uFFFD")
		total += len(all[i])
	}
	c.number(uint64(len(all)))
	c.column(len(all), func(i int) uint64 { return uint64(len(all[i])) })
	c.number(uint64(total))
	for _, text := range all {
		c.to.WriteString(text)
	}
}
