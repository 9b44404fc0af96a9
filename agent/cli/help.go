package cli

import (
	"fmt"

	"github.com/hotspan/hotspan/agent/cli/record"
	"github.com/hotspan/hotspan/agent/client"
)

// help has the help texts that are too long for a struct tag, by the name that the tag refers to.
var help = map[string]string{
	"socketpath": client.DefaultSocket,

	"shell": "bash, zsh or fish. For bash, put this into ~/.bashrc: source <(hotspan completion bash)",
	"inspect": "stack: threads; requests: those in flight, and what they wait for; objects: what is in the heap. " +
		"With addresses: print: values; whatis: what is there; function, source, closure: where a function is " +
		"from, its text, its variables; refs: who holds an object; path: how it is reached; await: who waits for " +
		"a promise. Without a verb, on a terminal, inspect asks.",
	"wait":       "Begin before a selected process runs, as where it crashes and starts again; -d counts from then.",
	"recordjson": "Print what became of the samples as JSON, on standard output, in place of the closing lines.",
	"stop":       "With -p: stop it while it is read, for TIME at most (10m), so that nothing changes meanwhile.",
	"annotated":  "Name of a function, also of one that is inlined; without one the pieces of code are listed.",

	"config": "YAML file; its keys are the names of the flags. Each flag is also a variable of the environment, such " +
		"as HOTSPAN_STORE_AGE for --store-age.",
	"name": "Profile Node.js processes whose executable or command line matches, also ones that start later.",
	"cpu":  "Lower the rate where the agent would take more than this share of a core, 0 for no limit",
	"memory": "Keep less, and lower the rate, where anonymous memory and BPF maps would take more, in MiB; 0 for no " +
		"limit",
	"cgroup": "Profile processes in this control group or below it: a path from /, or the end of one; * ? and [] are " +
		"wildcards.",
	"container": "Profile processes in the container whose id starts with ID.",
	"variable": "Profile processes with this environment variable, or with a value that REGEX matches whole. Of " +
		"--name, --cgroup, --container and --env each that is given must match; of several values of one, any.",
	"all":     "Profile all Node.js processes, also ones that start later.",
	"output":  "File to write; the extension is the format. %p is the pid, %t the start time, %n the snapshot number.",
	"state":   "Only samples in which V8 did this: js, gc, compiler, external, idle or other",
	"measure": "Only samples that count this, of a recording with several: cpu, hits, bytes, value, off_cpu or wall",
	"format": "pprof (.pb.gz), collapsed, perf-script, jsonl, otlp, html, speedscope, cpuprofile or firefox, " +
		"whatever the extension.",
	"labels": "Kinds of labels to read: trace (IDs), route, custom (from --label and --rules), or none",
	"style":  "Label names in pprof: hotspan, or datadog (span id, local root span id, trace endpoint).",
	"jitcode": "Also copy the machine code that samples are in into this directory, for hotspan annotate, and as " +
		"jit-PID.dump and perf-PID.map for perf.",
	"otlp": "Also send OTLP profiles over gRPC, such as to http://127.0.0.1:4317: each snapshot, or one every 30 s.",
	"to": "Where to send snapshots: http://HOST:4317 for OTLP, pyroscope+http://HOST:4040, or " +
		"file:///DIR/NAME-%t.pb.gz; KEY=VALUE may follow, after commas. May be repeated.",
	"rate": "Samples per second on each CPU",
	"probe": "Sample hits of uprobe:FILE:SYMBOL[+OFFSET], uretprobe:FILE:SYMBOL, usdt:FILE:PROVIDER:NAME, " +
		"syscall:NAME or tp:GROUP:NAME, or of exec, file, gc, malloc, stall or throw, not CPU time; with -F that " +
		"too. May be repeated.",
	"probelimit": fmt.Sprintf("Samples of one probe per second on each CPU, at most; hits beyond are counted (%d).",
		record.DefaultProbeLimit),
	"minwait": fmt.Sprintf("The shortest wait sampled (%v).", record.DefaultMinWait),
	"store":   "Directory that keeps snapshots until they are delivered, and for later questions",
	"http":    "Serve /metrics, /healthz and /readyz on loopback, such as 127.0.0.1:7071.",
	"mib":     "Most that the store keeps, in MiB",
	"age":     "How long the store keeps a snapshot, at most",
	"maps":    "Show the original files and lines of TypeScript and of bundles, from their source maps (on).",
	"cache":   "Keep what is parsed of executable files in ~/.cache/hotspan/files, for the next start (on).",
	"socket": "Serve profiles on this Unix socket: all to root, to others what is of their own process; none for no " +
		"socket",
	"capture": "Have the agent sample the process at this rate, beside its own samples.",
	"listen":  "Also serve all profiles here, by TLS, to those who have the token.",
	"token":   "File with the token that callers over the network must send.",
	"ring":    "Size of the BPF ring buffer in MiB, a power of two; else by rate and CPUs",
	"label": `Make a label of a value in an AsyncLocalStorage store: tenant=user.tenant, ` +
		`id=als("session").id, or tenant=get("tenant") for a Map.`,
	"per": "Compare CPU time per second of recording, or as shares of all CPU time: second or cpu",
	"requests": "Compare CPU time per request instead: how many requests each recording has, as counted by who sent " +
		"them.",
	"source": "Show source lines on the page, of files that you may read: with sudo those of the user who called it.",
	"older":  "Only samples of requests that had been running for this long, such as 500ms, where the tracer says it.",
	"ages":   "Instead, compare for each route the requests seen at this age or later with the others: 100ms.",
	"ago":    "Take samples of OLD that are earlier by TIME: --since 1h --ago 24h with the same store twice.",
	"moved":  "Files below OLDDIR in OLD are those below NEWDIR in NEW, as where each release has a folder of its own.",
	"failon": "Exit with 1 if the total, a route or a function takes more by more than this, beyond chance: 10%.",
	"diffpage": "Write a page for the browser, with a flame graph of the differences in shares of CPU time, as with " +
		"--per cpu.",
	"rules": "YAML file with such rules: labels: {tenant: user.tenant}.",

	"quiet":      "Print no messages but warnings, errors and losses.",
	"timeout":    "How long to wait at most, from the start of hotspan on; 0 for no limit",
	"forsamples": "Wait for N samples; with --for-label, for N that have it.",
	"forlabel":   "Wait for a sample with this label, such as http.route=/search. May be repeated: with all of them.",
	"forstall":   "Wait for an event loop that is held up for this long, at least 50ms.",

	"window":   "Time that the table covers, on a terminal",
	"topby":    "Table to begin with: function, route, trace or thread",
	"interval": "Print a table at this interval, where there is no terminal",
}
