'use strict';

const words = Array.from({ length: 2000 }, (_, i) => `word${(i * 7919) % 1000}`);
const prose = words.join(' ') + ' müller 東京 user@example.org 2024-05-17';
const wide = '東京 ' + prose.slice(0, 3000);
const tree = Array.from({ length: 300 }, (_, i) => ({ id: i, name: `näme ${i}`, tags: words.slice(i, i + 5),
  at: new Date(i * 1e9), deep: { x: [i, i / 3] } }));
const json = JSON.stringify(tree);
const collator = new Intl.Collator('de', { numeric: true });
const money = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' });
const date = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'full', timeStyle: 'long', timeZone: 'Asia/Tokyo' });

function count(regexp, where) {
  let n = 0;
  for (const match of where.matchAll(regexp)) n += match[0].length;
  return n;
}

module.exports = {
  jsonParse: () => JSON.parse(json).length + JSON.parse(json, (key, value) => value).length,
  jsonStringify: () => JSON.stringify(tree).length + JSON.stringify(tree.slice(0, 50), (key, value) => value, 2).length,
  regexpWords: () => count(/\b(?<stem>[a-z]+)(\d+)\b/g, prose),
  regexpWide: () => count(/[\p{L}]+\s/gu, wide),
  regexpBacktracks: () => (/^(?:w+o?r*d?\d* ?)+!$/.test(prose.slice(0, 19)) ? 1 : 0),
  regexpReplace: () => prose.replace(/o(r)d/g, (all, r) => r.toUpperCase()).length,
  regexpSplit: () => prose.split(/\s+/).length + prose.search(/\d{4}-\d\d-\d\d/),
  sort: () => [...words].sort((a, b) => collator.compare(a, b)).length,
  sortNumbers: () => Float64Array.from(words, (w, i) => (i * 7919) % 1009).sort((a, b) => b - a)[0],
  format: () => tree.reduce((n, item) => n + money.format(item.id).length, 0) + date.format(0).length,
  localeCompare: () => [...words].slice(0, 500).sort((a, b) => a.localeCompare(b, 'sv')).length,
  normalize: () => wide.normalize('NFD').toLocaleUpperCase('tr').length,
  join() {
    let s = '';
    for (const word of words) s += word + ',';
    return s.indexOf('no such') + s.split(',').length;
  },
  url: () => words.slice(0, 100).reduce((n, w) => n +
    new URL(`http://example.org/${w}?a=${w}#x`).searchParams.get('a').length, 0),
  encode: () => new TextDecoder().decode(new TextEncoder().encode(wide)).length + encodeURIComponent(wide).length,
};
