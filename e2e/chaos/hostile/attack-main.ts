import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttackName, AttackTarget } from './attack.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const name = process.argv[2] as AttackName;
const target = JSON.parse(process.argv[3] ?? '') as AttackTarget;
const statuses: Record<string, number> = {};
let broken = 0;
let goesOn = true;

const ATTACKS: Record<AttackName, (client: number) => Promise<void>> = {
  'hostile-prompts': async (client) => {
    const text = HOSTILE_TEXTS[(client + round(client)) % HOSTILE_TEXTS.length] ?? '';
    await post('/api/ai', JSON.stringify({ prompt: text }), { 'content-type': 'application/json', ...keyHeader() });
  },
  'one-byte-chunks': () => sendSlices(chunkedHead('/api/ai', 'application/json'), '1\r\na\r\n'.repeat(2_000)),
  'large-bodies': () => post('/api/ai', 'x'.repeat(392_000), { 'content-type': 'application/json' }),
  'slow-sign-ins': () => sendSlices(`${plainHead('/dashboard/session')}Content-Length: 4000\r\n\r\n`, 'a', 1_000),
  'bad-keys': () => get(`/api/ai?prompt=x&apikey=wrong-${Math.random()}`),
  'code-bodies': () =>
    post('/api/code', JSON.stringify({ code: 'x'.repeat(20_000_000) }), {
      'content-type': 'application/json',
      ...keyHeader(),
    }),
  'dotted-names': () => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${'.'.repeat(150_000)}a"\r\n\r\n`;
    return post('/api/upload', `${head}text\r\n--b--\r\n`, {
      'content-type': 'multipart/form-data; boundary=b',
      ...keyHeader(),
    });
  },
  'health-flood': () => get('/api/health'),
  'guessed-files': () => get(`/files/${Math.random().toString(36).slice(2)}`),
  'idle-connections': () => sendSlices('', ''),
  'unread-pages': () => neverRead('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(32)),
  'unread-streams': () => neverRead(resumeHead('?stream=true').repeat(8)),
  'unread-answers': () => neverRead(resumeHead().repeat(8)),
  'one-byte-readers': () => readByBytes(resumeHead('?stream=true').repeat(8)),
  'open-streams': () => {
    const body = JSON.stringify({
      model: 'ai-2.5-flash',
      stream: true,
      messages: [{ role: 'user', content: 'slowly' }],
    });
    const head = `${plainHead('/v1/chat/completions')}Authorization: Bearer ${target.key}\r\nContent-Type: application/json\r\n`;
    return sendSlices(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, '');
  },
  pages: () => get(`/api/ai?prompt=x&apikey=x`, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
};

let connections = 0;
const rounds = new Map<number, number>();
process.on('message', () => {
  goesOn = false;
  process.send?.({ statuses, broken });
});
await Promise.all([...Array(target.clients).keys()].map(attackInTurn));

/** Each client begins again when it is answered or cut, so that there are always as many. */
async function attackInTurn(client: number): Promise<void> {
  await delay((client * 1_000) / target.clients);
  if (client === target.clients - 1) process.send?.('begun');
  while (goesOn) {
    await ATTACKS[name](client).catch(() => broken++);
    rounds.set(client, round(client) + 1);
    // Who is refused at once must not keep the machine busy with connecting alone.
    await delay(1);
  }
}

function round(client: number): number {
  return rounds.get(client) ?? 0;
}

function keyHeader(): Record<string, string> {
  return target.key === undefined ? {} : { 'x-api-key': target.key };
}

function get(path: string, headers: Record<string, string> = {}): Promise<void> {
  return ask({ path, headers }, (sent) => sent.end());
}

function post(path: string, body: string, headers: Record<string, string>): Promise<void> {
  return ask({ path, method: 'POST', headers }, (sent) => sent.end(body));
}

function ask(options: RequestOptions, send: (sent: ClientRequest) => void): Promise<void> {
  const { host, port } = target;
  const localAddress = nextAddress();
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, localAddress, ...options }, (response: IncomingMessage) => {
      count(response.statusCode ?? 0);
      response.resume();
      response.once('close', resolve);
    });
    sent.on('error', reject);
    send(sent);
  });
}

function count(status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

function plainHead(path: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
}

function chunkedHead(path: string, type: string): string {
  return `${plainHead(path)}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

function nextAddress(): string {
  return target.from[connections++ % target.from.length] ?? '';
}

/** Asks and does not read what it is answered, until the service ends the connection. */
function neverRead(requests: string): Promise<void> {
  return holdUnread(requests, (socket) => socket.pause());
}

/** @param how in one piece, where it says nothing */
function resumeHead(how = ''): string {
  const path = `/v1/chat/completions/${target.completionId}${how}`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.key}\r\n\r\n`;
}

/** Asks and reads one byte of the answer each second, until the service ends the connection. */
function readByBytes(requests: string): Promise<void> {
  const begin = (socket: Socket) => void socket.on('readable', () => undefined);
  return holdUnread(requests, begin, (socket) => void socket.read(1));
}

function holdUnread(
  requests: string,
  begin: (socket: Socket) => void,
  everySecond: (socket: Socket) => void = () => undefined,
): Promise<void> {
  const { host, port } = target;
  return new Promise((resolve) => {
    const socket = connect({ host, port, localAddress: nextAddress() }, () => socket.write(requests));
    begin(socket);
    const timer = setInterval(() => {
      everySecond(socket);
      // Whose end comes behind what is not read sees it by a write alone.
      socket.write('\r\n');
    }, 1_000);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      broken++;
      resolve();
    });
  });
}

/** Sends the same slice again and again, as fast as it is taken or with a pause, until the service ends it. */
function sendSlices(head: string, slice: string, pauseMs = 0): Promise<void> {
  const { host, port } = target;
  return new Promise((resolve) => {
    const socket: Socket = connect({ host, port, localAddress: nextAddress() });
    let timer: NodeJS.Timeout | undefined;
    let answered = false;
    const sendNext = () => {
      if (slice === '' || socket.destroyed) return;
      if (pauseMs > 0) socket.write(slice);
      else if (socket.write(slice)) timer = setTimeout(sendNext, 1);
      else socket.once('drain', sendNext);
    };
    socket.on('connect', () => {
      if (head !== '') socket.write(head);
      if (pauseMs > 0) timer = setInterval(sendNext, pauseMs);
      else sendNext();
    });
    socket.on('data', (data) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1];
      if (status === undefined || answered) return;
      answered = true;
      count(Number(status));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      if (!answered) broken++;
      resolve();
    });
  });
}
