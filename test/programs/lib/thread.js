'use strict';

const fs = require('node:fs');

// threadID is the kernel's id of the calling thread, as seen in its own pid namespace.
function threadID() {
  return Number(fs.readlinkSync('/proc/thread-self').split('/').pop());
}

module.exports = { threadID };
