'use strict';

// A function that is inlined calls another one, once. Then the function that it is inlined into burns nearly all of the
// time, and calls nothing.
//
//   node --maglev --no-turbofan inlined_call.js MS

let count = 0;

function called() {
  try { count++; } finally { count |= 0; }
  return count;
}

function calls(n) {
  called();
  return n + 1;
}

function burns(n) {
  let x = calls(n);
  for (let i = 0; i < 5000; i++) {
    x = (x ^ (i << 3)) + 7 | 0;
  }
  return x;
}

for (const end = Date.now() + Number(process.argv[2]); Date.now() < end;) for (let n = 0; n < 100; n++) burns(n);
