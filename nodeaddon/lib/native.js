'use strict';

const path = require('node:path');

// installed reports whether there is the package with the add-ons: npm leaves it out with --omit=optional.
function installed() {
  try {
    return Boolean(require.resolve('@hotspan/addon-linux-x64/package.json'));
  } catch {
    return false;
  }
}

/**
 * What loads the native part, or says why there is none.
 *
 * @returns {{native?: object, missing?: string}}
 */
function load() {
  const { platform, arch, versions } = process;
  if (platform !== 'linux' || arch !== 'x64') return { missing: `${platform} on ${arch} is not supported` };
  const file = `${versions.modules}.node`;
  for (const name of [path.join(__dirname, '..', 'build', file), `@hotspan/addon-linux-x64/${file}`]) {
    try {
      return { native: require(name) };
    } catch (err) {
      if (err.code === 'ERR_DLOPEN_DISABLED') return { missing: 'node may load no add-ons (--allow-addons)' };
      if (err.code !== 'MODULE_NOT_FOUND') return { missing: err.message };
    }
  }
  if (!installed()) return { missing: '@hotspan/addon-linux-x64 is not installed' };
  return { missing: `@hotspan/addon-linux-x64 has no ${file} for Node ${versions.node}` };
}

module.exports = { load };
