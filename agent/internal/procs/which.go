package procs

import "sync"

// mostAsked bounds the processes that are asked at a time: most of them wait.
const mostAsked = 256

// Which returns those of some processes for which a condition holds, in any order. It asks for all side by side, on
// other goroutines: of some it may take as long as their memory or their files are waited for.
func Which(pids []int, holds func(pid int) bool) (those []int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan struct{}, mostAsked)
	for _, pid := range pids {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if holds(pid) {
				mu.Lock()
				defer mu.Unlock()
				those = append(those, pid)
			}
		})
	}
	all.Wait()
	return those
}
