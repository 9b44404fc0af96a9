'use strict';

// Cryptography: a password is checked on this thread, which a service should not do, and a token on libuv's pool.

const { createHash, pbkdf2, pbkdf2Sync } = require('node:crypto');
const { promisify } = require('node:util');
const { query } = require('../database');

async function handle(req, res) {
  const { user } = req.params;
  const salt = await query(`salt of ${user}`);
  const password = checkPassword(user, salt);
  const token = await promisify(pbkdf2)(password, salt, 2000, 32, 'sha256');
  res.json({ user, session: sessionName(user, token) });
}

function checkPassword(user, salt) {
  return pbkdf2Sync(`password of ${user}`, salt, 6000, 64, 'sha512').toString('hex');
}

function sessionName(user, token) {
  let name = token;
  for (let i = 0; i < 300; i++) name = createHash('sha256').update(name).update(user).digest();
  return name.toString('base64url');
}

module.exports = { handle };
