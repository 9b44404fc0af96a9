package npm

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"
)

// outside reads the contexts of a process as the public texts say, without anything of hotspan: OTEP 4719 (process
// context), OTEP 4947 (records), and the RFC for Node.js (open-telemetry/opentelemetry-ebpf-profiler, pull request
// 1861), for x86-64 and glibc.
type outside struct {
	pid     int
	keys    []string
	numbers map[string]uint64 // other attributes of the process context
	schema  string
	service string            // service.name of the resource
	tls     map[string]uint64 // by variable: address of the words that say where it is
}

// The variables for threads that run JavaScript, and for others.
const (
	nodeVariable   = "otel_thread_ctx_nodejs_v1"
	threadVariable = "otel_thread_ctx_v1"
)

func newOutside(pid int) (*outside, error) {
	o := &outside{pid: pid, numbers: map[string]uint64{}, tls: map[string]uint64{}}
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	line := regexp.MustCompile(`^([0-9a-f]+)-\S+ \S+ ([0-9a-f]+) \S+ \d+ +(.*)$`)
	for s := bufio.NewScanner(maps); s.Scan(); {
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		start, _ := strconv.ParseUint(m[1], 16, 64)
		switch name := m[3]; {
		case name == "[anon_shmem:OTEL_CTX]", name == "/memfd:OTEL_CTX (deleted)":
			if err := o.processContext(start); err != nil {
				return nil, err
			}
		case regexp.MustCompile(`/addon-linux-x64/\d+\.node$`).MatchString(name) && m[2] == "00000000":
			if err := o.symbol(name, start); err != nil {
				return nil, err
			}
		}
	}
	if len(o.tls) != 2 || o.schema != "nodejs_v1_dev" && o.schema != "tlsdesc_v1_dev" {
		return nil, fmt.Errorf("not both variables (%v), or no process context (schema %q)", o.tls, o.schema)
	}
	return o, nil
}

// symbol finds the relocations of the variables.
func (o *outside) symbol(name string, base uint64) error {
	f, err := elf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return err
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return err
		}
		for ; len(data) >= 24; data = data[24:] {
			info := binary.LittleEndian.Uint64(data[8:])
			i := info >> 32
			if elf.R_X86_64(info&0xffffffff) != elf.R_X86_64_TLSDESC || i == 0 {
				continue
			}
			if name := symbols[i-1].Name; name == nodeVariable || name == threadVariable {
				o.tls[name] = base + binary.LittleEndian.Uint64(data)
			}
		}
	}
	return nil
}

func (o *outside) read(at uint64, n int) ([]byte, error) {
	b := make([]byte, n)
	local := []unix.Iovec{{Base: &b[0], Len: uint64(n)}}
	got, err := unix.ProcessVMReadv(o.pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: n}}, 0)
	if err == nil && got != n {
		err = errors.New("short read")
	}
	if err != nil {
		return nil, fmt.Errorf("0x%x: %w", at, err)
	}
	return b, nil
}

// words reads 64-bit words. The first error is kept in err.
func (o *outside) words(err *error, at uint64, n int) []uint64 {
	out := make([]uint64, n)
	if *err != nil {
		return out
	}
	b, failed := o.read(at, 8*n)
	if *err = failed; failed == nil {
		for i := range out {
			out[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
	return out
}

func (o *outside) processContext(at uint64) error {
	header, err := o.read(at, 32)
	if err != nil {
		return err
	}
	if string(header[:8]) != "OTEL_CTX" || binary.LittleEndian.Uint32(header[8:]) != 2 ||
		binary.LittleEndian.Uint64(header[16:]) == 0 {
		return fmt.Errorf("process context %x", header)
	}
	payload, err := o.read(binary.LittleEndian.Uint64(header[24:]), int(binary.LittleEndian.Uint32(header[12:])))
	if err != nil {
		return err
	}
	for _, resource := range fields(payload, 1) {
		for _, attribute := range fields(resource, 1) {
			if string(fields(attribute, 1)[0]) == "service.name" {
				o.service = string(fields(fields(attribute, 2)[0], 1)[0])
			}
		}
	}
	for _, attribute := range fields(payload, 2) {
		value := fields(attribute, 2)[0]
		switch key := string(fields(attribute, 1)[0]); key {
		case "threadlocal.schema_version":
			o.schema = string(fields(value, 1)[0])
		case "threadlocal.attribute_key_map":
			for _, list := range fields(value, 5) {
				for _, item := range fields(list, 1) {
					o.keys = append(o.keys, string(fields(item, 1)[0]))
				}
			}
		default:
			n, _ := protowire.ConsumeVarint(value[1:]) // int_value = 3
			o.numbers[key] = n
		}
	}
	return nil
}

// fields are those of one number in a message, which are bytes.
func fields(b []byte, number protowire.Number) (out [][]byte) {
	for len(b) > 0 {
		n, kind, length := protowire.ConsumeTag(b)
		if length < 0 {
			return out
		}
		b = b[length:]
		size := protowire.ConsumeFieldValue(n, kind, b)
		if size < 0 {
			return out
		}
		if n == number && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(b)
			out = append(out, value)
		}
		b = b[size:]
	}
	return out
}

// context reads the context of a thread, which stands meanwhile; nil if it has none.
func (o *outside) context(tid int) (map[string]string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceAttach(tid); err != nil {
		return nil, err
	}
	defer unix.PtraceDetach(tid)
	var status unix.WaitStatus
	if _, err := unix.Wait4(tid, &status, unix.WALL, nil); err != nil {
		return nil, err
	}
	var registers unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &registers); err != nil {
		return nil, err
	}
	if at, err := o.threadLocal(registers.Fs_base, threadVariable); err != nil || at != 0 {
		var record uint64
		if err == nil {
			record = o.words(&err, at, 1)[0]
		}
		if err != nil || record != 0 {
			return o.record(record)
		}
	}
	at, err := o.threadLocal(registers.Fs_base, nodeVariable)
	if err != nil || at == 0 {
		return nil, err
	}
	return o.walk(at)
}

// threadLocal is where a thread has a variable: by an offset, or by a module and an offset. 0: it never used it.
func (o *outside) threadLocal(thread uint64, variable string) (uint64, error) {
	var err error
	argument := o.words(&err, o.tls[variable], 2)[1]
	if int64(argument) < 0 || err != nil {
		return thread + argument, err
	}
	index := o.words(&err, argument, 2)
	table := o.words(&err, thread+8, 1)[0]
	if count := o.words(&err, table-16, 1)[0]; err != nil || index[0] > count {
		return 0, err
	}
	block := o.words(&err, table+16*index[0], 1)[0]
	if block == 0 || block == ^uint64(0) {
		return 0, err
	}
	return block + index[1], err
}

func (o *outside) walk(at uint64) (map[string]string, error) {
	var err error
	v := o.words(&err, at, 4)
	slot, undefined, hash := v[0], v[3], v[2]&0xffffffff
	if slot == 0 || err != nil {
		return nil, err // a thread without JavaScript
	}
	frame := o.words(&err, slot, 1)[0]
	storage := o.words(&err, v[1], 1)[0]
	if frame == undefined || err != nil {
		return nil, err
	}
	table := o.words(&err, frame-1+o.numbers["threadlocal.js_map_table_offset"], 1)[0]
	counts := table - 1 + o.numbers["threadlocal.ordered_hash_map_header_size"]
	buckets := o.words(&err, counts, 3)[2] >> 32
	if err != nil || buckets == 0 || buckets&(buckets-1) != 0 {
		return nil, fmt.Errorf("%d buckets: %w", buckets, err)
	}
	first := counts + 24
	entry := o.words(&err, first+8*(hash&(buckets-1)), 1)[0]
	for steps := 0; int64(entry) >= 0 && err == nil && steps < 16; steps++ {
		e := o.words(&err, first+8*buckets+24*(entry>>32), 3)
		if e[0] == storage {
			if e[1] == undefined {
				return nil, err
			}
			record := o.words(&err, e[1]-1+o.numbers["threadlocal.js_object_record_offset"], 1)[0]
			if err != nil {
				return nil, err
			}
			return o.record(record)
		}
		entry = e[2]
	}
	return nil, err
}

func (o *outside) record(at uint64) (map[string]string, error) {
	head, err := o.read(at, 28)
	if err != nil {
		return nil, err
	}
	if head[24] != 1 {
		return nil, fmt.Errorf("record %x is not valid", head)
	}
	out := map[string]string{}
	for key, id := range map[string][]byte{"trace_id": head[:16], "span_id": head[16:24]} {
		if text := hex.EncodeToString(id); regexp.MustCompile(`[^0]`).MatchString(text) {
			out[key] = text
		}
	}
	size := int(binary.LittleEndian.Uint16(head[26:]))
	if size == 0 {
		return out, nil
	}
	b, err := o.read(at+28, size)
	for err == nil && len(b) >= 2 {
		n, key := 2+int(b[1]), "unknown key"
		if int(b[0]) < len(o.keys) {
			key = o.keys[b[0]]
		}
		out[key] = string(b[2:n])
		b = b[n:]
	}
	return out, err
}
