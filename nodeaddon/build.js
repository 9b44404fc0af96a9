'use strict';

// node build.js [FOLDER]: builds the add-on for the Node that runs this, with g++, into build or a folder. It is found
// there before the one of @hotspan/addon-linux-x64. The headers are those beside Node's executable, where
// installations of Node have them, or in the folder that the variable NODE_HEADERS names.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const installed = path.join(path.dirname(process.execPath), '..', 'include', 'node');
const headers = process.env.NODE_HEADERS || installed;
if (!fs.existsSync(path.join(headers, 'node.h'))) {
  console.error(`build: there is no node.h in ${headers}: set NODE_HEADERS to the folder that has it`);
  process.exit(1);
}

const out = process.argv[2] || path.join(__dirname, 'build');
const sources = path.join(__dirname, 'src');
const standard = parseInt(process.versions.node) < 24 ? 'gnu++17' : 'gnu++20';
fs.mkdirSync(out, { recursive: true });
execFileSync(process.env.CXX || 'g++', [
  '-shared', '-fPIC', '-O2', '-g0', `-std=${standard}`, '-fno-exceptions', '-fno-rtti', '-fvisibility=hidden',
  '-mtls-dialect=gnu2', // as OTEP 4947 asks for
  '-Wall', '-Wextra', '-Wno-unused-parameter', '-Wno-cast-function-type',
  '-Wl,-z,nodelete', // readers may look at its variables as long as the process lives
  '-Wl,--as-needed', '-s', '-isystem', headers, '-o', path.join(out, `${process.versions.modules}.node`),
  ...fs.readdirSync(sources).filter((name) => name.endsWith('.cc')).map((name) => path.join(sources, name)),
], { stdio: 'inherit' });
