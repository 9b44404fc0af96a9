'use strict';

/** Reads the agent's answer: lines of JSON, some of which say how many bytes follow. */
class Messages {
  #parts;
  #rest = Buffer.alloc(0);

  constructor(stream) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** The next message, which must have a type. */
  async next(type) {
    let end;
    while ((end = this.#rest.indexOf(10)) < 0) await this.#more();
    const message = JSON.parse(this.#cut(end + 1).toString());
    if (message.type !== type) throw new Error(`hotspan: ${message.message ?? `the agent says ${message.type}`}`);
    return message;
  }

  /** The next n bytes. */
  async bytes(n) {
    const parts = [];
    let missing = n;
    while (missing > this.#rest.length) {
      missing -= this.#rest.length;
      parts.push(this.#cut(this.#rest.length));
      await this.#more();
    }
    parts.push(this.#cut(missing));
    return Buffer.concat(parts, n);
  }

  #cut(n) {
    const part = this.#rest.subarray(0, n);
    this.#rest = this.#rest.subarray(n);
    return part;
  }

  async #more() {
    const { value, done } = await this.#parts.next();
    if (done) throw new Error('hotspan: the agent has ended the profile');
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, value]) : value;
  }
}

module.exports = { Messages };
