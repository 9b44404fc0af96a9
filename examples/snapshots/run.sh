#!/bin/sh
# run.sh NODE: runs the service beside an agent and asks it for its paths; then lists the profiles that it has kept, and
# prints the CPU time by route in one of them. Needs root.
set -e

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top/examples/snapshots"
mkdir -p node_modules
ln -sfn "$top/bin/npm/app/node_modules/hotspan" node_modules/hotspan

files=$(mktemp -d)
mkdir "$files/profiles"
"$1" node_modules/hotspan/bin/hotspan.js agent --store "$files/store" --socket "$files/agent.sock" 2>"$files/log" &
agent=$!
"$1" server.js "$files/profiles" 3 "$files/agent.sock" >"$files/address" &
server=$!
trap 'kill $server $load $agent 2>/dev/null; wait; rm -r "$files"' EXIT
until [ -s "$files/address" ]; do kill -0 $server; sleep 0.1; done
address=$(cat "$files/address")
"$1" ../labels/load.js "$address/login" "$address/search" &
load=$!
until [ "$(ls "$files/profiles" | wc -l)" -ge 3 ]; do kill -0 $server $agent; sleep 0.1; done

echo '$ ls profiles'
ls "$files/profiles"
last=$(ls "$files/profiles" | tail -n 1)
echo "\$ go tool pprof -tags -tagshow '^http.route\$' profiles/$last"
go tool pprof -tags -tagshow '^http.route$' "$files/profiles/$last" 2>/dev/null
