'use strict';

// A function that calls itself once, and returns at once then: where two frames of it are on the stack, the younger one
// is not at the call.
//
//   node --always-sparkplug --no-maglev --no-opt frame_removed.js MS

function deeper(n) {
  if (n === 0) {
    return 1;
  }
  const result =
    deeper(n - 1); // line 13
  return result + 1;
}

function many() {
  for (let i = 0; i < 1000; i++) deeper(1);
}

for (const end = Date.now() + Number(process.argv[2]); Date.now() < end;) many();
