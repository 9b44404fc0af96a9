'use strict';

// random returns a function that gives whole numbers in [0, n), the same sequence for the same seed (xorshift32).
function random(seed) {
  let state = (seed | 0) || 1;
  return function below(n) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

module.exports = { random };
