package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/store"
)

// Values are what is served. The counts of samples are those of the last cut.
type Values struct {
	Cut            time.Time     // when the last snapshot was cut, or sampling began; zero before
	Hung           time.Duration // for how long no snapshot may be cut in a healthy agent
	Rate           int           // samples a second on each CPU
	CPU            time.Duration // of the agent and of its BPF programs
	Memory         int64         // anonymous memory and BPF maps, in bytes
	MapBytes       int64         // BPF maps
	CaptureMaps    int64         // those of captures, which are not in the two before, in bytes
	SessionMaps    SessionMaps
	Saving         int // what is done against a lack of memory
	Taken, Written int64
	Lost           map[string]int64 // by reason
	SnapshotsLost  int64            // that did not come to the store
	HeldBack       time.Duration    // no timer fired for so long, all CPUs together
	Unsampled      time.Duration    // CPU time of processes that started, until they were attached to
	JS, Named      int64            // samples with JavaScript frames, and those with each of them named
	Requests       int64            // samples while a request ran
	Labelled       int64            // samples with a label
	Processes      int
	Executables    int // files with code that they have mapped, each once
	Store          store.Stats
	Destinations   map[string]export.Stats // by name
}

// SessionMaps counts the BPF maps of profiles that processes take of themselves.
type SessionMaps struct {
	Running int // of those that are being taken
	Ended   int // that processes still have of others
}

// collector makes metrics of Values.
type collector struct{ read func() Values }

// Describe sends nothing: what there is depends on the destinations.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	v := c.read()
	send := func(kind prometheus.ValueType, name, help string, value int64, labels ...string) {
		names := labels[:len(labels):len(labels)]
		values := []string{}
		if len(labels) == 2 {
			names, values = labels[:1], labels[1:]
		}
		d := prometheus.NewDesc("hotspan_"+name, help, names, nil)
		to <- prometheus.MustNewConstMetric(d, kind, float64(value), values...)
	}
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	send(counter, "samples_taken_total", "Samples taken of the selected processes.", v.Taken)
	send(counter, "samples_written_total", "Samples that are in a snapshot.", v.Written)
	for reason, n := range v.Lost {
		send(counter, "samples_lost_total", "Samples that were taken and are in no snapshot.", n, "reason", reason)
	}
	send(counter, "snapshots_lost_total", "Snapshots that came faster than the store took them.", v.SnapshotsLost)
	send(counter, "samples_js_total", "Samples with JavaScript frames.", v.JS)
	send(counter, "samples_named_total", "Samples with JavaScript frames, each of which has a name.", v.Named)
	send(counter, "samples_in_requests_total", "Samples while a request ran.", v.Requests)
	send(counter, "samples_labelled_total", "Samples with a label.", v.Labelled)
	send(gauge, "rate", "Samples a second that are taken on each CPU, at most.", int64(v.Rate))
	send(gauge, "memory_bytes", "Anonymous memory of the agent, and BPF maps.", v.Memory)
	send(gauge, "bpf_map_bytes", "BPF maps.", v.MapBytes)
	send(gauge, "capture_bpf_map_bytes", "BPF maps of profiles that somebody asks for.", v.CaptureMaps)
	const ofSessions = "BPF maps of profiles that processes take of themselves, also of those that have ended."
	send(gauge, "session_maps", ofSessions, int64(v.SessionMaps.Running), "session", "running")
	send(gauge, "session_maps", ofSessions, int64(v.SessionMaps.Ended), "session", "ended")
	send(gauge, "memory_saving", "How coarse the means against a lack of memory are, 0 to 5.", int64(v.Saving))
	seconds := func(name, help string, d time.Duration) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("hotspan_"+name, help, nil, nil), counter, d.Seconds())
	}
	seconds("cpu_seconds_total", "CPU time of the agent and of its BPF programs, captures included.", v.CPU)
	seconds("timer_held_back_seconds_total", "Time in which the kernel let no timer fire, of all CPUs.", v.HeldBack)
	seconds("unsampled_starts_seconds_total", "CPU time of processes that started, until they were attached to.",
		v.Unsampled)
	send(gauge, "processes", "Processes that are profiled.", int64(v.Processes))
	send(gauge, "executables", "Executable files and libraries of these, each once.", int64(v.Executables))
	send(gauge, "store_snapshots", "Snapshots in the store.", int64(v.Store.Snapshots))
	send(gauge, "store_bytes", "Size of the snapshots in the store.", v.Store.Bytes)
	send(counter, "store_removed_total", "Snapshots removed because of the limits or a full disk.", v.Store.Evicted)
	send(counter, "store_unwritten_total", "Snapshots that the disk did not take.", v.Store.Unwritten)
	for name, d := range v.Destinations {
		send(counter, "export_samples_total", "Samples delivered.", d.Samples, "sink", name)
		send(counter, "export_snapshots_total", "Snapshots delivered.", d.Snapshots, "sink", name)
		send(counter, "export_refused_samples_total", "Samples that the receiver refused.", d.Dropped, "sink", name)
		send(counter, "export_damaged_total", "Snapshots that could not be read.", d.Damaged, "sink", name)
		send(counter, "export_removed_total", "Snapshots removed before they were delivered.", d.Evicted, "sink", name)
		send(counter, "export_failures_total", "Tries that failed.", d.Failures, "sink", name)
		send(gauge, "export_waiting_snapshots", "Snapshots not yet delivered.", int64(d.Waiting), "sink", name)
	}
}
