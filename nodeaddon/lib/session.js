'use strict';

const http = require('node:http');
const { Messages } = require('./messages');
const { Profile } = require('./profile');
const { keep } = require('./storage');

const VERSION = 1;
const SOCKET = '/run/hotspan/agent.sock';

/** A profile that is being taken. */
class Session {
  #request;
  #messages;
  #held;
  #agent;
  #turn = Promise.resolve();
  #ended = false;

  constructor(request, messages, held, agent) {
    this.#request = request;
    this.#messages = messages;
    this.#held = held;
    this.#agent = agent;
  }

  /** The profile since the last one. It goes on meanwhile: each sample is in one snapshot. */
  snapshot() {
    return this.#ask('snapshot\n');
  }

  /** The profile since the last snapshot, after which there are no more. */
  async stopAndCapture() {
    try {
      return await this.#ask('stop\n');
    } finally {
      this.#end();
    }
  }

  /** Snapshots, one a second, until the loop is left. */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        await new Promise((resolve) => {
          setTimeout(resolve, 1000);
        });
        yield await this.snapshot();
      }
    } finally {
      this.#end();
    }
  }

  /** Ends the profile, of which nothing is wanted any more. For await using, and try and finally. */
  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    this.#end();
  }

  #ask(command) {
    const answer = this.#turn.then(() => this.#answer(command));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #answer(command) {
    if (this.#ended) throw new Error('hotspan: the profile has ended');
    const valueOf = this.#held.snapshot();
    const { socket } = this.#request;
    socket.ref(); // a profile keeps the process alive only while it is awaited
    this.#request.write(command);
    try {
      const message = await this.#messages.next('snapshot');
      const pprof = await this.#messages.bytes(message.pprof);
      return new Profile(message, pprof, await this.#messages.bytes(message.samples), valueOf);
    } catch (err) {
      this.#end();
      throw err;
    } finally {
      socket.unref();
    }
  }

  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#held.end();
    this.#request.destroy();
    this.#agent?.end();
  }
}

/**
 * Has the agent of this machine sample this process.
 *
 * @param {{frequency?: number, labels?: Record<string, string>, socket?: string, spawn?: boolean}} [options]
 * @returns {Promise<Session>} when it samples
 */
async function startProfile({ spawn = false, ...options } = {}) {
  try {
    return await begin(options);
  } catch (err) {
    if (!spawn || !none.has(err.cause?.code)) throw err;
  }
  const agent = await require('./spawned').startAgent();
  try {
    return await begin({ ...options, socket: agent.socket }, agent);
  } catch (err) {
    throw await agent.why(err);
  }
}

async function begin({ frequency = 99, labels = {}, socket = SOCKET }, agent) {
  const query = new URLSearchParams({ version: String(VERSION), frequency: String(frequency) });
  for (const [name, path] of Object.entries(labels)) query.append('label', `${name}=${path}`);
  const request = http.request({ socketPath: socket, path: `/session?${query}`, method: 'POST', agent: false });
  const held = keep();
  try {
    const messages = new Messages(await answerOf(request, socket));
    await held.begin(socket, await messages.next('begun'), messages);
    request.socket.unref();
    return new Session(request, messages, held, agent);
  } catch (err) {
    held.end();
    request.destroy();
    throw err;
  }
}

// answerOf sends the head of a request, whose body are commands, and returns the answer.
function answerOf(request, socket) {
  return new Promise((resolve, reject) => {
    request.flushHeaders();
    request.on('error', (err) => reject(told(err, socket)));
    request.on('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else textOf(response).then((text) => reject(new Error(`hotspan: ${text || response.statusMessage}`)), reject);
    });
  });
}

async function textOf(response) {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return text.trim();
}

// The errors of a connection that say that there is no agent.
const none = new Set(['ENOENT', 'ECONNREFUSED']);

function told(err, socket) {
  if (!none.has(err.code)) return err;
  return new Error(`hotspan: no agent listens at ${socket}: start one by "sudo npx hotspan agent"`, { cause: err });
}

module.exports = { startProfile };
