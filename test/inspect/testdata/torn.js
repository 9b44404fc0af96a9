'use strict';

// A program that changes an object all the time: its a is its b, or one more.
//
//   node torn.js

class Both {
  a = 0;
  b = 0;
}

function change(both) {
  both.a = (both.a + 1) % 1000000;
  both.b = both.a;
}

const both = new Both();
for (let i = 0; i < 100000; i++) change(both);
require('fs').writeSync(2, 'ready\n');
for (;;) change(both);
