package viewers

// firefoxMarkers describes the markers: MarkerSchema of the Firefox Profiler's src/types/markers.ts.
var firefoxMarkers = []any{
	map[string]any{
		"name": "collection", "display": markerPlaces, "tableLabel": "{marker.name}", "chartLabel": "{marker.name}",
		"tooltipLabel": "{marker.name}", "fields": []any{}, "description": "Samples in which V8 collected garbage.",
	},
	map[string]any{
		"name": "burst", "display": markerPlaces, "tableLabel": "{marker.data.route} {marker.data.trace}",
		"chartLabel": "{marker.data.route}", "tooltipLabel": "{marker.data.route}",
		"fields": []any{
			map[string]any{"key": "route", "label": "Route", "format": "string"},
			map[string]any{"key": "trace", "label": "Trace", "format": "string"},
		},
		"description": "Samples of one request that follow each other: not the whole request.",
	},
}

var markerPlaces = []string{"marker-chart", "marker-table", "timeline-overview"}

type firefoxMarkerTable struct {
	Length   int               `json:"length"`
	Name     []int             `json:"name"`
	Start    []float64         `json:"startTime"`
	End      []float64         `json:"endTime"`
	Phase    []int             `json:"phase"`
	Category []int             `json:"category"`
	Data     []firefoxMarkData `json:"data"`
}

type firefoxMarkData struct {
	Type  string `json:"type"`
	Route string `json:"route,omitempty"`
	Trace string `json:"trace,omitempty"`
}

// interval is the phase of markers with a start and an end.
const interval = 1

// markers lists the collections of a thread and the bursts of its requests.
func (r *recording) markers(f *firefoxTables, t *thread) *firefoxMarkerTable {
	m := &firefoxMarkerTable{
		Name: []int{}, Start: []float64{}, End: []float64{}, Phase: []int{}, Category: []int{},
		Data: []firefoxMarkData{},
	}
	r.runs(t, func(i int) bool { return r.top(t.stacks[i]) == collectorPlace }, func(_ int, start, end int64) {
		m.add(f.collection, gcCategory, start, end, firefoxMarkData{Type: "collection"})
	}, func(_, _ int) bool { return true })
	r.runs(t, func(i int) bool { return t.requests[i] != noRequest }, func(i int, start, end int64) {
		q := r.list[t.requests[i]]
		m.add(f.burst, otherCategory, start, end, firefoxMarkData{"burst", q.route, q.trace})
	}, func(i, j int) bool { return t.requests[i] == t.requests[j] })
	return m
}

func (m *firefoxMarkerTable) add(name, category int, start, end int64, data firefoxMarkData) {
	m.Length++
	m.Name, m.Category = append(m.Name, name), append(m.Category, category)
	m.Start, m.End = append(m.Start, float64(start)/1e6), append(m.End, float64(end)/1e6)
	m.Phase, m.Data = append(m.Phase, interval), append(m.Data, data)
}

// runs calls found for each run of samples that are in one, without a pause between them and the same as their
// neighbours. It ends a period after its last sample, but before the next sample.
func (r *recording) runs(t *thread, in func(i int) bool, found func(first int, start, end int64),
	same func(i, j int) bool,
) {
	for i := 0; i < len(t.times); i++ {
		if !in(i) {
			continue
		}
		last := i
		for last+1 < len(t.times) && !r.pauses(t, last) && in(last+1) && same(i, last+1) {
			last++
		}
		end := t.times[last] + r.period
		if last+1 < len(t.times) {
			end = max(t.times[last], min(end, t.times[last+1]-1))
		}
		found(i, t.times[i], end)
		i = last
	}
}

// pauses reports whether sample i of a thread is followed by a gap, or by none.
func (r *recording) pauses(t *thread, i int) bool {
	return i+1 == len(t.times) || t.times[i+1]-t.times[i] > r.period+r.period/2
}
