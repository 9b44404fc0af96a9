package cli

import "github.com/alecthomas/kong"

// help has the help texts that are too long for a struct tag, by the name that the tag refers to.
var help = kong.Vars{
	"contexts": "Show the stores that a Node process keeps for its requests, and the labels they can give.",

	"name":   "Profile Node.js processes whose executable or command line matches, also ones that start later.",
	"all":    "Profile all Node.js processes, also ones that start later.",
	"output": "File to write; the extension is the format. %p is the pid, %t the start time, %n the snapshot number.",
	"format": "pprof (.pb.gz), collapsed, perf-script, jsonl, otlp, speedscope, cpuprofile or firefox, whatever the " +
		"extension.",
	"labels": "Kinds of labels to read: trace (IDs), route, custom (from --label and --rules), or none",
	"style":  "Label names in pprof: hotspan, or datadog (span id, local root span id, trace endpoint).",
	"otlp":   "Also send each snapshot, or every 30 s, as OTLP profiles over gRPC, such as to http://127.0.0.1:4317.",
	"to": "Where to send snapshots: http://HOST:4317 for OTLP, pyroscope+http://HOST:4040, or " +
		"file:///DIR/NAME-%t.pb.gz; KEY=VALUE may follow, after commas. May be repeated.",
	"rate":  "Samples per second on each CPU",
	"store": "Directory that keeps snapshots until they are delivered, and for later questions",
	"http":  "Serve /metrics, /healthz and /readyz on loopback, such as 127.0.0.1:7071.",
	"mib":   "Most that the store keeps, in MiB",
	"age":   "How long the store keeps a snapshot, at most",
	"maps":  "Show the original files and lines of TypeScript and of bundles, from their source maps (on).",
	"cache": "Keep what is parsed of executable files in ~/.cache/hotspan/files, for the next start (on).",
	"ring":  "Size of the BPF ring buffer in MiB, a power of two; else by rate and CPUs",
	"label": `Make a label of a value in an AsyncLocalStorage store: tenant=user.tenant, ` +
		`id=als("session").id, or tenant=get("tenant") for a Map.`,
	"rules": "YAML file with such rules: labels: {tenant: user.tenant}.",
}
