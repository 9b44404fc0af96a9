'use strict';

const zlib = require('node:zlib');

const lines = Array.from({ length: 3000 }, (_, i) => `line ${i * 7919} of a text that repeats itself, ${i % 17}\n`);
const text = Buffer.from(lines.join(''));
const gzipped = zlib.gzipSync(text);
const brotli = zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } });

module.exports = {
  gzip: () => zlib.gzipSync(text).length,
  gunzip: () => zlib.gunzipSync(gzipped).length,
  deflate: () => zlib.deflateRawSync(text.subarray(0, 20000), { level: 9 }).length,
  compress: () => zlib.brotliCompressSync(text.subarray(0, 40000),
    { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }).length,
  decompress: () => zlib.brotliDecompressSync(brotli).length,
};
