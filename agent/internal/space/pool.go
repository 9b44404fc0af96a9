package space

import "github.com/hotspan/hotspan/agent/internal/pool"

// Pool is libuv's in the process, and the address of its file less the ELF virtual address; nil for none that is known.
func (s *Space) Pool() (p *pool.Pool, bias uint64) {
	for _, r := range s.regions {
		if r.Kind == Native && r.File.Pool != nil {
			return r.File.Pool, r.Bias
		}
	}
	return nil, 0
}
