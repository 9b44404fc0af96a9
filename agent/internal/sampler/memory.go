package sampler

// MapBytes returns how much memory the BPF maps take, in bytes: the kernel's count, and the unwind tables, which it
// does not count with the map that has them. It takes some system calls for each map.
func (s *Sampler) MapBytes() int64 {
	sum := s.tables.bytes()
	for _, m := range s.objects.Maps() {
		if info, err := m.Info(); err == nil {
			n, _ := info.Memlock()
			sum += int64(n)
		}
	}
	return sum
}
