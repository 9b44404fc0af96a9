'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const BEGIN = 20_000; // milliseconds that it may take to listen
const NOBODY = '[^\\s\\S]'; // it samples nothing but what it is asked for

function command() {
  try {
    return require.resolve('@hotspan/cli-linux-x64/bin/hotspan');
  } catch (cause) {
    throw new Error('hotspan: the package @hotspan/cli-linux-x64 is not installed', { cause });
  }
}

/** An agent of this process, with a socket of its own. */
class Agent {
  #dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hotspan-'));
  #child;
  #closed;
  #said = '';

  constructor(file) {
    this.socket = path.join(this.#dir, 'agent.sock');
    const args = ['--with-input', '--name', NOBODY, '--store', path.join(this.#dir, 'store'), '--socket', this.socket];
    const child = (this.#child = spawn(file, ['agent', ...args], { stdio: ['pipe', 'ignore', 'pipe'] }));
    const remove = () => fs.rmSync(this.#dir, { recursive: true, force: true });
    process.once('exit', remove);
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#said = (this.#said + text).slice(-4096);
    });
    child.stdin.on('error', () => {}); // it has ended
    child.on('error', (err) => {
      this.#said += err.message;
    });
    this.#closed = new Promise((resolve) => {
      child.on('close', () => {
        process.off('exit', remove);
        remove();
        resolve();
      });
    });
  }

  /** Waits until it listens, or has ended. */
  async begin() {
    let closed = false;
    this.#closed.then(() => {
      closed = true;
    });
    for (let waited = 0; !closed && !fs.existsSync(this.socket) && waited < BEGIN; waited += 20) {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    for (const part of this.#parts()) part.unref(); // a profile does not keep the process alive
  }

  #parts() {
    const { stdin, stderr } = this.#child;
    return [this.#child, stdin, stderr];
  }

  /** Ends it. */
  end() {
    this.#child.stdin.end();
  }

  /** Ends it after an error, and returns what it has said of that if it has ended before. */
  async why(err) {
    for (const part of this.#parts()) part.ref();
    this.end();
    await this.#closed;
    if (this.#child.exitCode === 0) return err;
    return new Error(`hotspan: an agent cannot run here: ${this.#said.trim()}`, { cause: err });
  }
}

/**
 * Starts an agent for this process. It ends by end(), and with this process, however that ends: its standard input ends
 * then.
 *
 * @returns {Promise<Agent>} when it listens, or has ended
 */
async function startAgent() {
  const agent = new Agent(command());
  await agent.begin();
  return agent;
}

module.exports = { startAgent };
