'use strict';

// Each of them spends most of its time in code of OpenSSL that a machine with AVX2 has in assembly.

const crypto = require('node:crypto');

const data = Buffer.alloc(200000, 'some text to hash and encrypt ');
const key = crypto.randomBytes(32);
const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' });
const ed25519 = crypto.generateKeyPairSync('ed25519');
const x25519 = [1, 2].map(() => crypto.generateKeyPairSync('x25519'));

const digest = (name, times = 2) => {
  let n = 0;
  for (let i = 0; i < times; i++) n += crypto.createHash(name).update(data).digest()[0];
  return n;
};

function encrypt(name) {
  const cipher = crypto.createCipheriv(name, key, key.subarray(0, 12), { authTagLength: 16 });
  const sealed = [cipher.update(data), cipher.final()];
  const decipher = crypto.createDecipheriv(name, key, key.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(cipher.getAuthTag());
  return decipher.update(sealed[0]).length + decipher.final().length;
}

function signAndVerify(hash, pair) {
  const signature = crypto.sign(hash, data.subarray(0, 100), pair.privateKey);
  if (!crypto.verify(hash, data.subarray(0, 100), pair.publicKey, signature)) throw new Error('signature');
  return signature.length;
}

module.exports = {
  sha1: () => digest('sha1'),
  sha256: () => digest('sha256'),
  sha512: () => digest('sha512'), // sha512_block_data_order_avx2
  sha3: () => digest('sha3-256'), // KeccakF1600
  blake2: () => digest('blake2b512'),
  md5: () => digest('md5', 4),
  hmac: () => crypto.createHmac('sha256', key).update(data).digest()[0],
  pbkdf2: () => crypto.pbkdf2Sync('password', 'salt', 1000, 64, 'sha512')[0],
  scrypt: () => crypto.scryptSync('password', 'salt', 64, { N: 512 })[0],
  aesGCM: () => encrypt('aes-256-gcm'),
  chacha: () => encrypt('chacha20-poly1305'),
  aesCBC() {
    const cipher = crypto.createCipheriv('aes-256-cbc', key, key.subarray(0, 16));
    return cipher.update(data).length + cipher.final().length;
  },
  signRSA: () => signAndVerify('sha256', rsa), // bn_mulx, rsaz
  signP256: () => signAndVerify('sha256', p256), // ecp_nistz256
  signP384: () => signAndVerify('sha384', p384),
  signEd25519: () => signAndVerify(null, ed25519),
  agree: () => crypto.diffieHellman({ privateKey: x25519[0].privateKey, publicKey: x25519[1].publicKey })[0],
  random: () => crypto.randomBytes(100000)[0],
  prime: () => crypto.checkPrimeSync((1n << 127n) - 1n) | 0,
};
