/** The least that an Express application can do: one route, one short answer. Prints its port. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.get('/', (_request, response) => {
  response.json({ hello: 'world' });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'serves', port: (server.address() as AddressInfo).port }));
});
