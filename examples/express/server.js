'use strict';

// node --require ./tracing.js server.js
// PORT: where to listen on 127.0.0.1 (0: any that is free)

const express = require('express');

const app = express();
app.get('/sudoku', require('./routes/sudoku').handle);
app.get('/orders/:id', require('./routes/orders').handle);
app.get('/ranking', require('./routes/ranking').handle);
app.get('/search', require('./routes/search').handle);
app.get('/login/:user', require('./routes/login').handle);
app.get('/basket', require('./routes/basket').handle);

const server = app.listen(Number(process.env.PORT || 0), '127.0.0.1', (err) => {
  if (err) throw err;
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

function stop() {
  server.close();
  server.closeAllConnections();
}

process.once('SIGTERM', stop);
process.once('SIGINT', stop);
