package agent

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// CPU time and memory are measured as often as snapshots are cut, within these bounds.
const leastWindow, mostWindow = time.Second, 10 * time.Second

// limits are those of the configuration.
func (c *Config) limits() budget.Limits {
	return budget.Limits{Rate: c.Rate, CPU: c.CPUBudget, Memory: c.MemoryLimit}
}

// startBudget begins to measure, if that is of use.
func (a *Agent) startBudget(now time.Time) {
	a.budget = budget.New(a.config.limits())
	a.rate = a.budget.State().Rate
	if a.config.CPUBudget > 0 || a.config.MemoryLimit > 0 || a.config.OnCut != nil {
		a.measureAt = now
	}
	a.keepLess(0)
}

// keepBudget measures what the agent takes when that is due, and has it take less, or more again.
func (a *Agent) keepBudget(now time.Time) {
	if a.measureAt.IsZero() || now.Before(a.measureAt) {
		return
	}
	a.measureAt = now.Add(min(max(a.config.SnapshotEvery, leastWindow), mostWindow))
	before, next := a.budget.State(), a.budget.Next(a.measure())
	if next.Saving > 0 && next.Collect {
		a.forget()
	}
	if next.Collect {
		go debug.FreeOSMemory() // samples do not wait for it
	}
	if next.Saving != before.Saving {
		message := "memory is short, less is kept"
		if next.Saving < before.Saving {
			message = "memory suffices, more is kept again"
		}
		a.log.Info(message, "MiB", a.stats.Memory>>20, "limit", a.config.MemoryLimit>>20, "saving",
			fmt.Sprintf("%d of %d", next.Saving, budget.MaxSaving))
		a.keepLess(next.Saving)
	}
	if next.Held && !before.Held && now.Sub(a.heldSaid) > time.Hour {
		a.heldSaid = now
		a.log.Warn("the CPU budget is exceeded, but by what does not grow with the rate", "used of a core",
			percent(next.Load), "budget", percent(a.config.CPUBudget))
	}
	if next.Rate == before.Rate {
		return
	}
	a.log.Info("the rate is changed to keep within the limits", "from", before.Rate, "to", next.Rate,
		"used of a core", percent(next.Load), "budget", percent(a.config.CPUBudget), "saving", next.Saving)
	if err := a.setRate(next.Rate); err != nil {
		a.log.Warn("the rate is not changed", "why", err)
	}
}

// measure reads the CPU time and the memory of this process and of the BPF program and its maps: also the CPU time of
// profiles that somebody asks for, but not their maps.
func (a *Agent) measure() budget.Use {
	a.countLosses() // and the time in the BPF program
	own, s := budget.OwnMemory(), &a.stats
	s.CPU, s.MapBytes = budget.OwnCPU()+sampler.InKernel(), sampler.MapBytes()
	s.Memory = own.Anonymous + s.MapBytes
	if a.config.MemoryLimit > 0 {
		debug.SetMemoryLimit(own.HeapLimit(a.config.MemoryLimit - s.MapBytes))
	}
	return budget.Use{
		At: time.Duration(sampler.Now()), CPU: s.CPU, Rated: a.handling + s.InKernel,
		Memory: s.Memory, Needed: own.Needed + s.MapBytes,
	}
}

// keepLess bounds what snapshots and source maps take, by the memory limit and by how much is to be saved.
func (a *Agent) keepLess(saving int) {
	a.stats.Saving = saving
	snapshots, maps := budget.Shares(a.config.MemoryLimit, saving)
	a.builder.SetLimits(snapshots)
	a.maps.SetMemory(maps)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

// forget empties caches: what is in them is read again when it is needed.
func (a *Agent) forget() {
	for _, t := range a.targets {
		t.symbolizer.Forget()
		clear(t.threads)
	}
	a.reading.decoder.Forget()
}
