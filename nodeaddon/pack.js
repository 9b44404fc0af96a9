'use strict';

// node pack.js ADDONS BINARIES OUT: makes the tarballs of the four packages in OUT, from a folder of built add-ons and
// one of the profiler's binaries, and installs them in OUT/app, as npm i hotspan @hotspan/web-linux-x64 does.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const [addons, binaries, out] = process.argv.slice(2).map((name) => path.resolve(name));
const { version, description, license } = require('./package.json');

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(path.join(out, 'app'), { recursive: true });

// stage makes the folder of a package: files maps paths in it to files and folders. One that has no package.json is for
// this platform.
function stage(name, description, files, more) {
  const folder = path.join(out, 'stage', name);
  for (const [to, from] of Object.entries({ ...files, LICENSE: path.join(__dirname, '..', 'LICENSE') })) {
    fs.cpSync(from, path.join(folder, to), { recursive: true });
  }
  const file = path.join(folder, 'package.json');
  const about = { name, version, description, license, os: ['linux'], cpu: ['x64'], ...more };
  if (!fs.existsSync(file)) fs.writeFileSync(file, JSON.stringify(about, null, 2));
  return folder;
}

const built = Object.fromEntries(fs.readdirSync(addons).filter((name) => name.endsWith('.node'))
  .map((name) => [name, path.join(addons, name)]));
const own = [...require('./package.json').files, 'README.md', 'package.json'];
const folders = [
  stage('hotspan', description, Object.fromEntries(own.map((name) => [name, path.join(__dirname, name)]))),
  stage('@hotspan/addon-linux-x64', 'The native part of hotspan, by ABI of Node.js', built),
  stage('@hotspan/cli-linux-x64', 'The CPU profiler hotspan', { 'bin/hotspan': path.join(binaries, 'hotspan') }),
  stage('@hotspan/web-linux-x64', 'Shows recordings of hotspan in a browser, for hotspan web',
    { 'bin/hotspan-web': path.join(binaries, 'hotspan-web') }, { bin: { 'hotspan-web': 'bin/hotspan-web' } }),
];
const npm = (args) => execFileSync('npm', args, { cwd: out, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const tarballs = JSON.parse(npm(['pack', '--json', '--pack-destination', out, ...folders]));
for (const { filename, size, unpackedSize } of tarballs) {
  console.log(`${filename}: ${Math.ceil(size / 1024)} KiB, ${Math.ceil(unpackedSize / 1024)} KiB unpacked`);
}
fs.writeFileSync(path.join(out, 'app', 'package.json'), '{"private": true}');
npm(['install', '--prefix', path.join(out, 'app'), '--offline', '--no-audit', '--no-fund', '--loglevel=error',
  ...tarballs.map(({ filename }) => path.join(out, filename))]);
