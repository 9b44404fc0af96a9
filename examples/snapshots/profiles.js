'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { startProfile } = require('hotspan');

/**
 * Keeps a profile of this process in a folder for each period, until the process ends. While no agent runs there are
 * none; it says so once.
 */
async function keepProfiles(folder, seconds, options) {
  for (let said; ; await sleep(1000, undefined, { ref: false })) {
    try {
      const session = await startProfile(options);
      said = undefined;
      for (;;) {
        await sleep(seconds * 1000, undefined, { ref: false });
        const { profile, start } = await session.snapshot();
        const name = new Date(Number(start / 1000000n)).toISOString().replace(/[:.]/g, '-');
        await fs.writeFile(path.join(folder, `cpu-${name}.pb.gz`), profile);
      }
    } catch (err) {
      if (err.message !== said) console.error(err.message);
      said = err.message;
    }
  }
}

module.exports = { keepProfiles };
