package pprofx

// Measure is what the samples of a snapshot count.
type Measure uint8

// The measures. Samples of different ones cannot be in one snapshot or file.
const (
	CPUTime  Measure = iota // each sample stands for Period nanoseconds on a CPU
	HitCount                // each sample is a hit of a probe
	OffCPU                  // each sample is a wait, Weight nanoseconds long
	HitBytes                // each sample is a hit of a probe, of Weight bytes
	HitValue                // each sample is a hit of a probe, and Weight a number that means something to the user
	WallTime                // each sample is a wait, or stands for time on a CPU, Weight nanoseconds: see CPULabel
)

var measureNames = [...]string{"cpu", "hits", "off_cpu", "bytes", "value", "wall"}

// String returns the name that stands in files, such as "off_cpu"; Measure(9) for an unknown number.
func (m Measure) String() string { return nameOf("Measure", measureNames[:], uint8(m)) }

// UnmarshalText reads what String returns. An unknown name is an error.
func (m *Measure) UnmarshalText(text []byte) error {
	return parseName(m, "Measure", measureNames[:], text)
}

// MarshalText returns what String does.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Unit returns the unit that pprof and OTLP have for it.
func (m Measure) Unit() string {
	return [...]string{
		CPUTime: "nanoseconds", HitCount: "count", OffCPU: "nanoseconds", HitBytes: "bytes", HitValue: "count",
		WallTime: "nanoseconds",
	}[m]
}

// Samples returns what one sample is, for a count of them: "waits" of time off the CPU.
func (m Measure) Samples() string {
	return [...]string{
		CPUTime: "samples", HitCount: "hits", OffCPU: "waits", HitBytes: "hits", HitValue: "hits", WallTime: "samples",
	}[m]
}

// Period returns the Period of a snapshot whose samples stand for so much CPU time.
func (m Measure) Period(cpu int64) int64 {
	return [...]int64{CPUTime: cpu, HitCount: 0, OffCPU: 1, HitBytes: 1, HitValue: 1, WallTime: 1}[m]
}

// OfHits reports whether each sample is a hit of a probe.
func (m Measure) OfHits() bool { return m == HitCount || m == HitBytes || m == HitValue }

// Timed reports whether a Weight is for how long a thread waited, or ran.
func (m Measure) Timed() bool { return m == OffCPU || m == WallTime }

// Weighted reports whether each sample has a Weight.
func (m Measure) Weighted() bool { return m >= OffCPU }
