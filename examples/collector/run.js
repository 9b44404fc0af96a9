'use strict';

// node run.js HOTSPAN COLLECTOR [SECONDS]
// Starts a Collector, the Express service of ../express, whose spans go there, and hotspan agent, whose profiles go
// there; puts load on the service for SECONDS (8), and prints one trace of what the Collector has written. Needs root.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { printTrace } = require('./trace');

const express = path.join(__dirname, '../express');
const running = [];

// start runs a program until stop is called. What it says goes to a file, and to the error if it fails.
function start(dir, name, file, args, options) {
  const log = path.join(dir, `${name}.log`);
  const out = fs.openSync(log, 'w');
  const child = spawn(file, args, { cwd: dir, stdio: ['ignore', out, out], ...options });
  const program = { name, child, log, ended: once(child, 'exit') };
  running.push(program);
  return program;
}

async function stop(program, signal) {
  program.child.kill(signal);
  await program.ended;
}

// until waits for a condition, at most half a minute.
async function until(what, program, condition) {
  for (const end = Date.now() + 30000; !(await condition()); await sleep(100)) {
    if (program.child.exitCode !== null || Date.now() > end) {
      throw new Error(`${what}: ${program.name} says\n${fs.readFileSync(program.log, 'utf8')}`);
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true) || socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

async function startCollector(dir, binary) {
  const ports = { 4317: await freePort(), 4318: await freePort() };
  const config = fs.readFileSync(path.join(__dirname, 'config.yaml'), 'utf8');
  fs.writeFileSync(path.join(dir, 'config.yaml'), config.replace(/431[78]/g, (port) => ports[port]));
  const args = ['--config=file:config.yaml', '--feature-gates=service.profilesSupport'];
  const collector = start(dir, 'collector', binary, args);
  await until('no Collector', collector, () => accepts(ports[4317]));
  return { ...collector, grpc: `http://127.0.0.1:${ports[4317]}`, http: `http://127.0.0.1:${ports[4318]}` };
}

async function startService(dir, endpoint) {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const service = start(dir, 'service', process.execPath, ['--require', './tracing.js', 'server.js'], {
    cwd: express,
    env,
  });
  const said = () => fs.readFileSync(service.log, 'utf8').match(/listening on (\S+)/);
  await until('no service', service, said);
  return { ...service, url: said()[1] };
}

async function startAgent(dir, hotspan, to) {
  const store = path.join(dir, 'store');
  const much = ['--rate', '999', '--cpu-percent', '0']; // so that a single request has some samples
  const args = ['agent', '--name', 'tracing.js server.js', ...much, '--period', '1s', '--socket', 'none'];
  const agent = start(dir, 'agent', hotspan, [...args, '--store', store, '--to', to]);
  const begun = () => fs.existsSync(store) && fs.readdirSync(store).some((name) => name.endsWith('.otlp'));
  return { ...agent, begun: () => until('no profile', agent, begun) };
}

async function main([hotspan, binary, seconds = '8']) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-collector-'));
  try {
    const collector = await startCollector(dir, path.resolve(binary));
    const service = await startService(dir, collector.http);
    const agent = await startAgent(dir, path.resolve(hotspan), collector.grpc);
    console.log(`a Collector takes the spans of ${service.url} and its CPU samples, under load …`);
    const load = start(dir, 'load', process.execPath, [path.join(express, 'load.js'), service.url, seconds]);
    await agent.begun();
    await load.ended;
    await stop(service, 'SIGTERM');
    await stop(agent, 'SIGINT');
    await stop(collector, 'SIGTERM');
    console.log(fs.readFileSync(agent.log, 'utf8'));
    printTrace(path.join(dir, 'traces.jsonl'), path.join(dir, 'profiles.jsonl'));
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv.length < 4) {
  console.error('usage: node run.js HOTSPAN COLLECTOR [SECONDS]');
  process.exit(2);
}
main(process.argv.slice(2)).catch((err) => {
  console.error(err.message);
  process.exitCode = 1;
});
