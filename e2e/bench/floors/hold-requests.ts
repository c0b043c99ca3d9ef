/**
 * Holds every request and never answers: what a request in flight takes at least, on Node's own HTTP server (`http`) or
 * in an Express application (`express`). Prints its port.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

const held: ServerResponse[] = [];
const app = express();
app.all('/api/ai', (_request, response) => void held.push(response));

const isBare = process.argv[2] === 'http';
const server = createServer(isBare ? (_request, response) => void held.push(response) : app);
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  console.log(JSON.stringify({ msg: 'serves', port: (server.address() as AddressInfo).port }));
});
