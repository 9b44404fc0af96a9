// Package nodeargs reads the arguments of a Node.js process. It is safe for concurrent use.
package nodeargs

import "strings"

// withValue are Node's options whose value may be the next argument: those that node --help of Node 16 to 26 shows with
// a value, and --security-revert, which it leaves out. V8's, --stack-trace-limit for example, have theirs behind "=".
var withValue = setOf(`
	--allow-fs-read --allow-fs-write --bench-isolation --bench-name-pattern --bench-reporter
	--bench-reporter-destination --bench-samples --bench-warmup --build-sea --build-snapshot-config --conditions -C
	--cpu-prof-dir --cpu-prof-interval --cpu-prof-name --debug-port --diagnostic-dir --disable-proto --disable-warning
	--dns-result-order --env-file --env-file-if-exists --es-module-specifier-resolution --eval -e
	--experimental-config-file --experimental-default-type --experimental-loader
	--experimental-package-map --experimental-policy --experimental-sea-config --experimental-specifier-resolution
	--experimental-test-isolation --experimental-test-tag-filter --heap-prof-dir --heap-prof-interval --heap-prof-name
	--heapsnapshot-near-heap-limit --heapsnapshot-signal --icu-data-dir --import --input-type --inspect-port
	--inspect-publish-uid --loader --localstorage-file --max-http-header-size --max-old-space-size-percentage
	--network-family-autoselection-attempt-timeout --openssl-config --policy-integrity --print -p -pe
	--redirect-warnings --report-dir --report-directory --report-filename --report-signal --require -r --run
	--secure-heap --secure-heap-min --security-revert --security-reverts --snapshot-blob --test-concurrency
	--test-coverage-branches --test-coverage-exclude --test-coverage-functions --test-coverage-include
	--test-coverage-lines --test-global-setup --test-isolation --test-name-pattern --test-random-seed --test-reporter
	--test-reporter-destination --test-rerun-failures --test-shard --test-skip-pattern --test-timeout --title
	--tls-cipher-list --tls-keylog --trace-event-categories --trace-event-file-pattern --trace-require-module
	--unhandled-rejections --use-largepages --v8-pool-size --vfs-load --vfs-mount --watch-kill-signal --watch-path`)

// withoutScript are those with which what follows the options is no script: Node runs a text, or many files.
var withoutScript = setOf("--eval -e --print -p -pe --run --test --bench")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// Split returns Node's own options in the arguments of a process, of which the first is the program, and the script
// that it runs; empty if none of them is one. An option is as it was written; a value that is the next argument is left
// out.
func Split(arguments []string) (options []string, script string) {
	runs := true
	i := 1
	for ; i < len(arguments) && len(arguments[i]) > 1 && arguments[i][0] == '-' && arguments[i] != "--"; i++ {
		options = append(options, arguments[i])
		name, _, has := strings.Cut(arguments[i], "=")
		name = "-" + strings.ReplaceAll(name[1:], "_", "-")
		runs = runs && !withoutScript[name]
		if !has && withValue[name] && i+1 < len(arguments) && !strings.HasPrefix(arguments[i+1], "-") {
			i++ // Node refuses a value that begins with a hyphen, but for --print, whose value may be missing
		}
	}
	if i < len(arguments) && arguments[i] == "--" {
		i++
	}
	if !runs || i >= len(arguments) || arguments[i] == "-" { // the script comes from the standard input
		return options, ""
	}
	return options, arguments[i]
}
