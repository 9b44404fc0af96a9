'use strict';

const inspector = require('node:inspector');

// inspect sets breakpoints by V8's inspector protocol, as a debugger does, in lines of the files that pattern matches.
// They do not stop, but functions that have them are kept in bytecode of the debugger's.
function inspect(pattern, lines) {
  const session = new inspector.Session();
  session.connect();
  const post = (method, parameters) => {
    session.post(method, parameters, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      if (result.locations && result.locations.length !== 1) throw new Error(`${method}: ${JSON.stringify(result)}`);
    });
  };
  post('Debugger.enable');
  post('Debugger.setBreakpointsActive', { active: false });
  for (const line of lines) post('Debugger.setBreakpointByUrl', { urlRegex: pattern, lineNumber: line - 1 });
}

module.exports = { inspect };
