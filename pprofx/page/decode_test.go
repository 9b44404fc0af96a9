package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"regexp"
	"testing"
)

var dataElement = regexp.MustCompile(`(?s)<script type="application/octet-stream" id="profile">(.*?)</script>`)

// decoder reads what columns writes, as app/reader.js does.
type decoder struct {
	t *testing.T
	r *bytes.Reader
}

// unpack returns the data of a page.
func unpack(t *testing.T, page []byte) *decoder {
	t.Helper()
	m := dataElement.FindSubmatch(page)
	if m == nil {
		t.Fatal("the page has no data")
	}
	packed, err := base64.StdEncoding.DecodeString(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	gz, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return &decoder{t, bytes.NewReader(data)}
}

func (d *decoder) number() int {
	d.t.Helper()
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.t.Fatal(err)
	}
	return int(n)
}

func (d *decoder) column(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = d.number()
	}
	return list
}

func (d *decoder) text(n int) string {
	b := make([]byte, n)
	if _, err := io.ReadFull(d.r, b); err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// shownSample is a sample as the page has it.
type shownSample struct {
	Micros                 int64 // since the start
	Age                    int   // of the request, in ms and counted from 1; 0 if it is not known
	Process                process
	TID                    int32
	Thread, State, Stop    string
	Labels                 map[string]string
	Functions, Files, Code []string // of the frames, leaf first
	Lines, Columns         []int
}

// decoded is what is on a page.
type decoded struct {
	header
	samples []shownSample
}

func decode(t *testing.T, page []byte) *decoded {
	t.Helper()
	d := unpack(t, page)
	var out decoded
	if err := json.Unmarshal([]byte(d.text(d.number())), &out.header); err != nil {
		t.Fatal(err)
	}
	lengths := d.column(d.number())
	d.number() // the sum of the lengths
	texts := make([]string, len(lengths))
	for i, n := range lengths {
		texts[i] = d.text(n)
	}
	addStack := d.stacks(texts, &out.header)
	n := d.number()
	processes, tids, names := d.column(n), d.column(n), d.column(n)
	labels := d.labels(texts)
	n = d.number()
	times, stacks, sets, threads := d.column(n), d.column(n), d.column(n), d.column(n)
	states, stops := d.column(n), d.column(n)
	ages := make([]int, n)
	if out.Ages {
		ages = d.column(n)
	}
	at := int64(0)
	for i := range n {
		at += int64(times[i])
		s := shownSample{
			Micros: at, Process: out.Processes[processes[threads[i]]], TID: int32(tids[threads[i]]),
			Thread: texts[names[threads[i]]], State: out.States[states[i]], Stop: out.Stops[stops[i]],
			Labels: labels[sets[i]], Age: ages[i],
		}
		addStack(&s, stacks[i])
		out.samples = append(out.samples, s)
	}
	if d.r.Len() > 0 {
		t.Errorf("%d bytes are left over", d.r.Len())
	}
	return &out
}

// stacks returns a function that adds a stack to a sample.
func (d *decoder) stacks(texts []string, h *header) func(*shownSample, int) {
	n := d.number()
	names, files := d.column(n), d.column(n)
	n = d.number()
	functions, lines, columns, codes := d.column(n), d.column(n), d.column(n), d.column(n)
	n = d.number()
	up, frames := d.column(n-1), d.column(n-1)
	stacks := d.column(d.number())
	return func(s *shownSample, stack int) {
		for node := stacks[stack]; node > 0; node -= up[node-1] {
			f := frames[node-1]
			code := h.Kinds[codes[f]&7] + " " + h.Tiers[codes[f]>>3&7]
			if codes[f]>>6 == 1 {
				code += " inlined"
			}
			s.Functions = append(s.Functions, texts[names[functions[f]]])
			s.Files = append(s.Files, texts[files[functions[f]]])
			s.Code = append(s.Code, code)
			s.Lines = append(s.Lines, lines[f])
			s.Columns = append(s.Columns, columns[f])
		}
	}
}

func (d *decoder) labels(texts []string) []map[string]string {
	sets := make([]map[string]string, d.number())
	for i := range sets {
		sets[i] = map[string]string{}
	}
	for range d.number() {
		key := texts[d.number()]
		values := d.column(d.number())
		for i, v := range d.column(len(sets)) {
			if v > 0 {
				sets[i][key] = texts[values[v-1]]
			}
		}
	}
	return sets
}
