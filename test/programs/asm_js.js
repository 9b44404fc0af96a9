'use strict';

// asm.js, of which V8 makes WebAssembly, burns CPU for MS milliseconds.
//
//   node asm_js.js MS

function module(stdlib) {
  'use asm';
  var imul = stdlib.Math.imul;

  function inner(n) {
    n = n | 0;
    var x = 1, i = 0;
    for (i = 0; (i | 0) < (n | 0); i = (i + 1) | 0) {
      x = (imul(x, 31) + i) | 0;
    }
    return x | 0;
  }

  function outer(n) {
    n = n | 0;
    var x = 0;
    x = inner(n) | 0;
    return x | 0;
  }

  return { outer: outer };
}

const { outer } = module({ Math });

for (const end = Date.now() + Number(process.argv[2]); Date.now() < end;) outer(1e6);
