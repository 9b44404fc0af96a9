#!/bin/sh
# Makes dist from src: one program, as five tools compile it. dist is committed, so that tests need none of the tools.
#
#   npm ci && ./build.sh
set -eu
cd "$(dirname "$0")"
PATH="$PWD/node_modules/.bin:$PATH"
rm -rf dist
ts='--target es2022 --module commonjs --strict --types --rootDir src'
tsc $ts --inlineSourceMap --outDir dist/tsc-inline src/index.ts
tsc $ts --sourceMap --sourceRoot /ts-sources --outDir dist/tsc-root src/index.ts
tsc $ts --sourceMap --outDir dist/tsc src/index.ts
esbuild src/index.ts --bundle --minify --platform=node --target=es2022 --sourcemap \
  --sources-content=false --outfile=dist/esbuild/index.js
for name in index chain leaf; do
  mkdir -p dist/terser
  terser "dist/tsc/$name.js" --mangle toplevel \
    --source-map "content='dist/tsc/$name.js.map',url='$name.js.map',filename='$name.js'" \
    -o "dist/terser/$name.js"
  esbuild "src/$name.ts" --minify --format=cjs --target=es2022 --sourcemap --sources-content=false \
    --outfile="dist/parts/$name.js"
done
node pack.mjs dist/parts dist/indexed index chain leaf
rm -r dist/parts
node positions.mjs dist/*/*.js >dist/positions.jsonl
