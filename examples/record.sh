#!/bin/sh
# record.sh EXAMPLE "PATHS" "LABELS" NODE [OPTION…]: runs an example with the npm package that make npm has built, asks
# it for the paths, records it for five seconds to bin/EXAMPLE.pb.gz, and prints its CPU time by each of the labels.
# Needs root.
set -e

top=$(cd "$(dirname "$0")/.." && pwd)
example=$1 paths=$2 labels=$3
shift 3
cd "$top/examples/$example"
mkdir -p node_modules
ln -sfn "$top/bin/npm/app/node_modules/hotspan" node_modules/hotspan

files=$(mktemp -d) profile=$top/bin/$example.pb.gz
"$@" server.js > "$files/address" &
server=$!
trap 'kill $server $load 2>/dev/null; rm -r "$files"' EXIT
until [ -s "$files/address" ]; do kill -0 $server; sleep 0.1; done
urls=
for path in $paths; do urls="$urls $(cat "$files/address")$path"; done
"$1" ../labels/load.js $urls &
load=$!

echo "\$ hotspan record -p $server -d 5s -o bin/$example.pb.gz"
"$1" node_modules/hotspan/bin/hotspan.js record -p $server -d 5s -o "$profile"
for label in $labels; do
	echo "\$ go tool pprof -tags -tagshow '^$label\$' bin/$example.pb.gz"
	go tool pprof -tags -tagshow "^$label\$" "$profile" 2>/dev/null
done
